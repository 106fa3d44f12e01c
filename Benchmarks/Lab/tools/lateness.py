#!/usr/bin/env python3
"""lateness.py ticks BPM STAMPS TRACE: prints the lateness of ticks at an independent subscriber, in microseconds.
lateness.py cyclictest HISTOGRAM: prints the same figures for the output of cyclictest -h.

STAMPS is the output of seqstamps, TRACE the trace of the sender. Only one number is taken from the trace: the due time of
its first tick, which is scheduled before the tick is sent. All other deadlines are computed as origin + floor(n q / 24),
where a quarter note takes q nanoseconds, and the trace must agree with them to the nanosecond. Fitting the origin to the
time stamps instead would hide a constant lateness. A schedule that is too late is detected: ticks before their deadline are a
failure. Time stamps with an error of more than 2 us are also a failure.

One tick in a thousand may be up to 20 us before its deadline. The time of the queue is wrong by the latency of the last interrupt
of its timer, once per millisecond (sequencer.h). If an interrupt comes between the arrival of an event and the reading of the clocks,
the time stamp is wrong by the difference of two latencies. In a schedule that is too late, all ticks are early.
"""
import math
import sys

from figures import fail, figures, trace

# The maximum error of the time stamps, nanoseconds. seqstamps prints the actual error.
STAMP_ERROR = 2_000
# The maximum latency of the timer of the queue, nanoseconds, and the fraction of the stamps that it may affect.
TIMER_LATENCY, AFFECTED = 20_000, 1e-3


def ticks(bpm, stamps, path):
    with open(stamps) as file:
        first = file.readline().split()
        if first[:3] != ["stamp", "error", "below"]:
            fail(f"{stamps}: contains no stamp error; check that seqstamps ended normally")
        if float(first[3]) * 1e3 > STAMP_ERROR:
            fail(f"{stamps}: stamp error {first[3]} us, limit {STAMP_ERROR / 1e3:.1f} us; repeat the measurement")
        events = [line.split() for line in file]
    arrived = [int(instant) for instant, kind in events if kind == "clock"]
    due = [instant for _, instant in trace(path)]
    if not due:
        fail(f"{path}: contains no ticks; check that the peer played")
    if len(arrived) != len(due):
        fail(f"{stamps}: {len(arrived)} ticks, {len(due)} were due; ticks are lost or duplicate")
    quarter = math.ceil(60e9 / bpm)
    grid = [due[0] + n * quarter // 24 for n in range(len(due))]
    wrong = sum(scheduled != deadline for scheduled, deadline in zip(due, grid))
    if wrong:
        fail(f"{path}: {wrong} ticks are not on the grid of {bpm} BPM")
    late = [stamp - deadline for stamp, deadline in zip(arrived, grid)]
    early = sum(each < -STAMP_ERROR for each in late)
    if early > AFFECTED * len(late) or min(late) < -TIMER_LATENCY:
        fail(f"{stamps}: {early} ticks arrived before their deadlines, up to {-min(late) / 1e3:.1f} us")
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
        fail(f"{path}: contains no histogram; run cyclictest with -h")
    print("cyclictest:", figures(late), "us")


if __name__ == "__main__":
    if sys.argv[1:2] == ["ticks"] and len(sys.argv) == 5:
        ticks(float(sys.argv[2]), sys.argv[3], sys.argv[4])
    elif sys.argv[1:2] == ["cyclictest"] and len(sys.argv) == 3:
        cyclictest(sys.argv[2])
    else:
        sys.exit(__doc__)
