#!/usr/bin/env python3
"""hits.py [--skip SECONDS] WAV SPACING [FIRST TRACE [AHEAD]]: measures the deviation of hits from a grid of SPACING frames.

The recording contains repetitions of one short sound (sticks.yaml). A hit is the first frame above the rounding noise of
16 bits after 20 ms of silence. The grid has the nominal rate. Only its origin is fitted, to the median of the hits, so a
drift is fully visible. Deviations are in frames. Hits that are missing between the first and the last are counted.

FIRST is the instant of the first frame in nanoseconds (printed by linkcap). TRACE is the trace of the peer, whose clock is
ahead by AHEAD seconds. With these arguments, the program also prints the delay of each hit after the due time of its eighth
note, in microseconds. The sound of the stick itself needs 146 us (7 frames) to exceed the rounding noise. An eighth note
that is due within the recording and has no hit within 50 ms is counted as unrecorded. With --skip, the first SECONDS after
the first hit are ignored.
"""
import array
import bisect
import statistics
import sys
import wave

from figures import fail, figures, trace

QUIET = 960  # frames: 20 ms
BLOCK = 48
EIGHTH = 12  # ticks
NEAR = 50_000_000  # nanoseconds
EDGE = 2_000_000  # nanoseconds at both ends of the recording, where a due hit may be recorded or not


def onsets(path, silence=QUIET):
    """The first frames of all hits in the left channel, each after at least `silence` frames of silence, the sample rate, and the
    number of frames."""
    with wave.open(path) as file:
        width, rate = file.getsampwidth(), file.getframerate()
        if width not in (2, 4):
            fail(f"{path}: {8 * width} bits per sample; give a recording of linkcap")
        samples = array.array("h" if width == 2 else "i", file.readframes(file.getnframes()))[:: file.getnchannels()]
        if len(samples) != file.getnframes():
            fail(f"{path}: incomplete, {len(samples)} of {file.getnframes()} frames; check that the recorder was not stopped")
    level = 3 << (8 * width - 16)
    # A sound that is audible at the beginning of the recording is not a hit.
    found, quiet = [], 0
    for begin in range(0, len(samples), BLOCK):
        block = samples[begin : begin + BLOCK]
        if max(block) <= level and min(block) >= -level:
            quiet += len(block)
            continue
        for index, sample in enumerate(block):
            if abs(sample) <= level:
                quiet += 1
                continue
            if quiet >= silence:
                found.append(begin + index)
            quiet = 0
    return found, rate, len(samples)


def nearest(ordered, instant):
    """The element of the sorted list `ordered` that is nearest to `instant`."""
    place = bisect.bisect(ordered, instant)
    return min(ordered[max(0, place - 1) : place + 1], key=lambda each: abs(each - instant))


def main(skip, path, spacing, first=None, trace_path=None, ahead="0"):
    hits, rate, frames = onsets(path)
    begin = hits[0] + int(skip * rate) if hits and skip else QUIET
    hits = [hit for hit in hits if hit >= begin]
    if len(hits) < 2:
        fail(f"{path}: contains {len(hits)} hits; check that the peer played")
    places = [round((hit - hits[0]) / spacing) for hit in hits]
    off = [hit - place * spacing for hit, place in zip(hits, places)]
    origin = statistics.median_low(off)
    missing = places[-1] + 1 - len(set(places))
    duplicates = len(places) - len(set(places))
    print("deviation from the grid:", figures([abs(each - origin) for each in off]),
          f"missing={missing} duplicates={duplicates} frames")
    if trace_path:
        due = sorted(at - int(ahead) * 1_000_000_000 for tick, at in trace(trace_path) if tick % EIGHTH == 0)
        if not due:
            fail(f"{trace_path}: contains no eighth notes; check that the peer played")
        recorded = [int(first) + hit * 1_000_000_000 // rate for hit in hits]
        after = [at - nearest(due, at) for at in recorded]
        ends = [int(first) + frame * 1_000_000_000 // rate for frame in (begin, frames)]
        expected = [at for at in due if ends[0] + EDGE <= at <= ends[1] - EDGE]
        unrecorded = sum(abs(nearest(recorded, at) - at) > NEAR for at in expected)
        shown = figures([each / 1e3 for each in after])
        print("after the due time:", shown, f"us due={len(expected)} unrecorded={unrecorded}")


if __name__ == "__main__":
    words, skip = sys.argv[1:], 0
    if words[:1] == ["--skip"] and len(words) > 1:
        words, skip = words[2:], float(words[1])
    if len(words) not in (2, 4, 5):
        sys.exit(__doc__)
    main(skip, words[0], int(words[1]), *words[2:])
