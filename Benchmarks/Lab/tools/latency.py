#!/usr/bin/env python3
"""latency.py PREFIX NOTES: prints the times from Note On events to the first frames of their sounds, in milliseconds.

PREFIX0.wav and PREFIX.stamps are files of linkcap, NOTES is the output of notes or rtpnotes. The times begin with the first time
stamp of a note, its arrival. The figures with the prefix sent begin with the second one, the instant at which it was sent. The sound of a note begins with the first
frame after its time stamp that reaches a hundredth of the largest sample of this note. The result therefore does not depend on
the volume of the player. The side stick of the default SoundFont reaches this level nine frames after its first frame, at any
volume. These frames are subtracted. A note without sound within 60 ms is missing. The step is the number of frames by which
the position of the card moves: the greatest common divisor of its positions.

A loopback card that is driven by a timer stands still when the clock of the guest jumps. The instant of a frame is therefore
computed from the time stamps of the next 60 ms only. The earliest of these instants is used, because a time stamp may be late.
A note is excluded if the card stood still for more than 2 ms between its time stamp and its sound.
"""
import array
import bisect
import math
import sys
import wave

from figures import fail, figures

WINDOW = 0.06  # seconds, less than the length of a note
ATTACK = 9  # frames
STANDSTILL = 2_000_000  # nanoseconds, more than the error of two time stamps


def main(prefix, notes_path):
    path = f"{prefix}0.wav"
    with wave.open(path) as file:
        width, rate, channels = file.getsampwidth(), file.getframerate(), file.getnchannels()
        samples = array.array("h" if width == 2 else "i", file.readframes(file.getnframes()))[::channels]
    with open(f"{prefix}.stamps") as file:
        positions, instants = zip(*(map(int, line.split()) for line in file))
    with open(notes_path) as file:
        error, *lines = file.read().split("\n")[:-1]
    notes = [[int(stamp) for stamp in line.split()] for line in lines]
    window = int(WINDOW * rate)
    sounds = []
    for note, *sent in notes:
        # All frames before the last position that was read before the note were recorded before the note.
        place = bisect.bisect(instants, note) - 1
        start = positions[max(place, 0)]
        sounds.append((note, sent, max(place, 0), [abs(sample) for sample in samples[start : start + window]]))
    if not sounds or len(sounds[-1][3]) < window:
        fail(f"{path}: ends before the last note; record for longer")
    peaks = sorted(max(sound) for _, _, _, sound in sounds)
    usual = peaks[len(peaks) // 2]
    delays, totals, missing, excluded = [], [], 0, 0
    for note, sent, place, sound in sounds:
        peak = max(sound)
        # A sound with less than half of the usual volume is not a note. If most notes are silent, the usual volume is 0.
        if peak == 0 or peak * 2 < usual:
            missing += 1
            continue
        frame = positions[place] + next(index for index, sample in enumerate(sound) if sample * 100 >= peak) - ATTACK
        begin, end = bisect.bisect_left(positions, frame), bisect.bisect(positions, frame + window)
        elapsed = instants[begin] - instants[place]
        if elapsed - (positions[begin] - positions[place]) * 1_000_000_000 / rate > STANDSTILL:
            excluded += 1
            continue
        at = min(instants[n] - (positions[n] - frame) * 1_000_000_000 / rate for n in range(begin, end))
        delays.append((at - note) / 1e6)
        totals += [(at - instant) / 1e6 for instant in sent]
    total = "sent_" + figures(totals, 2).replace(" ", " sent_") + " " if totals else ""
    print(f"{figures(delays, 2)} {total}missing={missing} excluded={excluded} ms, step={math.gcd(*positions)} frames, {error}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
