#!/usr/bin/env python3
"""lateness.py ticks BPM STAMPS TRACE: how late ticks came to an outside subscriber.
lateness.py cyclictest HISTOGRAM: the same figures of what cyclictest -h printed.

STAMPS is what seqstamps printed, TRACE the sender's. One number is taken from the trace, the instant its first tick was
due: which is a plan, made before the tick was sent, and no act. All other deadlines are arithmetic, origin +
floor(n q / 24), where q nanoseconds are a quarter note, and the trace must agree with them to the nanosecond. (Fitting
the origin to the stamps instead would hide a lateness that is always the same.) A plan that was too late shows: a tick
before its deadline is a failure, and so are stamps that may be wrong by more than 2 us. Microseconds.
"""
import math
import sys

from figures import fail, figures, trace

# How far the relation of the stamping queue to CLOCK_MONOTONIC may be off, nanoseconds; seqstamps tells it.
STAMP_ERROR = 2_000


def ticks(bpm, stamps, path):
    with open(stamps) as file:
        first = file.readline().split()
        if first[:3] != ["stamps", "true", "to"]:
            fail(f"{stamps}: does not say how true its stamps are; did seqstamps end well?")
        if float(first[3]) * 1e3 > STAMP_ERROR:
            fail(f"{stamps}: stamps true to {first[3]} us only, not to {STAMP_ERROR / 1e3:.1f}; play it again")
        events = [line.split() for line in file]
    came = [int(instant) for instant, kind in events if kind == "clock"]
    due = [instant for _, instant in trace(path)]
    if not due:
        fail(f"{path}: has no ticks; did the peer play?")
    if len(came) != len(due):
        fail(f"{len(came)} ticks came, {len(due)} were due: some were lost or doubled")
    quarter = math.ceil(60e9 / bpm)
    grid = [due[0] + n * quarter // 24 for n in range(len(due))]
    wrong = sum(planned != right for planned, right in zip(due, grid))
    if wrong:
        fail(f"{path}: {wrong} ticks were planned off the grid of {bpm} BPM")
    late = [stamp - deadline for stamp, deadline in zip(came, grid)]
    if min(late) < -STAMP_ERROR:
        fail(f"a tick came {-min(late) / 1e3:.1f} us before its deadline")
    print("ticks:", figures([each / 1e3 for each in late]), "us,", " ".join(first))


def cyclictest(path):
    late = []
    with open(path) as file:
        for line in file:
            words = line.split()
            if len(words) == 2 and words[0].isdigit() and words[1].isdigit():
                late += [int(words[0])] * int(words[1])
            elif line.startswith("# Histogram Overflows:"):
                late += [math.inf] * int(words[-1])
    if not late:
        fail(f"{path}: no histogram of cyclictest -h")
    print("cyclictest:", figures(late), "us")


if __name__ == "__main__":
    if sys.argv[1:2] == ["ticks"] and len(sys.argv) == 5:
        ticks(float(sys.argv[2]), sys.argv[3], sys.argv[4])
    elif sys.argv[1:2] == ["cyclictest"] and len(sys.argv) == 3:
        cyclictest(sys.argv[2])
    else:
        sys.exit(__doc__)
