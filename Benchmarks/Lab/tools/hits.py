#!/usr/bin/env python3
"""hits.py [--skip SECONDS] WAV SPACING [FIRST TRACE [AHEAD]]: how far hits lie off a grid of SPACING frames.

The recording holds one short sound again and again (sticks.yaml): a hit is the first frame above the rounding of 16
bits after 20 ms of silence. The grid's rate is the nominal one and only its origin is fitted, to the median of the
hits, so a drift shows in full. Frames. Hits missing between the first and the last are counted.

With FIRST, the nanosecond of the first frame (linkcap tells it), and the TRACE of the peer that played, whose clock is
AHEAD seconds, it also says how long after its eighth was due each hit was recorded: microseconds, of which the stick
itself takes 146 (7 frames) to rise above the rounding. An eighth that was due within the recording and has no hit
within 50 ms is unheard. With --skip, the first SECONDS after the first hit do not count.
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
EDGE = 2_000_000  # nanoseconds of either end of the recording: what is due there may be in it or not


def onsets(path):
    """The frames on which the hits begin, by the left channel, the frames a second, and how many there are."""
    with wave.open(path) as file:
        width, rate = file.getsampwidth(), file.getframerate()
        if width not in (2, 4):
            fail(f"{path}: {8 * width} bits a sample; give a recording of linkcap")
        samples = array.array("h" if width == 2 else "i", file.readframes(file.getnframes()))[:: file.getnchannels()]
        if len(samples) != file.getnframes():
            fail(f"{path}: ends after {len(samples)} of {file.getnframes()} frames; was the recorder stopped?")
    level = 3 << (8 * width - 16)
    # A sound that lasts as the recording begins is no hit.
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
            if quiet >= QUIET:
                found.append(begin + index)
            quiet = 0
    return found, rate, len(samples)


def nearest(ordered, instant):
    """Of instants in their order, the one next to `instant`."""
    place = bisect.bisect(ordered, instant)
    return min(ordered[max(0, place - 1) : place + 1], key=lambda each: abs(each - instant))


def main(skip, path, spacing, first=None, trace_path=None, ahead="0"):
    hits, rate, frames = onsets(path)
    begin = hits[0] + int(skip * rate) if hits and skip else QUIET
    hits = [hit for hit in hits if hit >= begin]
    if len(hits) < 2:
        fail(f"{path}: {len(hits)} hits are heard in it")
    places = [round((hit - hits[0]) / spacing) for hit in hits]
    off = [hit - place * spacing for hit, place in zip(hits, places)]
    origin = statistics.median_low(off)
    missing = places[-1] + 1 - len(set(places))
    doubled = len(places) - len(set(places))
    print("off the grid:", figures([abs(each - origin) for each in off]), f"missing={missing} doubled={doubled} frames")
    if trace_path:
        due = sorted(at - int(ahead) * 1_000_000_000 for tick, at in trace(trace_path) if tick % EIGHTH == 0)
        if not due:
            fail(f"{trace_path}: no eighths in it; did the peer play?")
        heard = [int(first) + hit * 1_000_000_000 // rate for hit in hits]
        after = [at - nearest(due, at) for at in heard]
        ends = [int(first) + frame * 1_000_000_000 // rate for frame in (begin, frames)]
        recorded = [at for at in due if ends[0] + EDGE <= at <= ends[1] - EDGE]
        unheard = sum(abs(nearest(heard, at) - at) > NEAR for at in recorded)
        shown = figures([each / 1e3 for each in after])
        print("after they were due:", shown, f"us due={len(recorded)} unheard={unheard}")


if __name__ == "__main__":
    words, skip = sys.argv[1:], 0
    if words[:1] == ["--skip"] and len(words) > 1:
        words, skip = words[2:], float(words[1])
    if len(words) not in (2, 4, 5):
        sys.exit(__doc__)
    main(skip, words[0], int(words[1]), *words[2:])
