#!/usr/bin/env python3
"""tickjitter.py BPM SECONDS STAMPS: prints the jitter of clock ticks at an independent subscriber, in microseconds.

STAMPS is the output of seqstamps. The first 24 ticks are ignored, and the figures cover the SECONDS after them. No schedule of
the sender is known, so a constant lateness is not measured. An interval is the time between two ticks. The phase is the time
of a tick minus the line through all ticks (least squares). The tempo of the line is compared with BPM; its error is a magnitude. Fails if a tick
is missing or doubled: an interval of less than half or more than one and a half ticks.
"""
import statistics
import sys

from figures import fail, percentile

SKIPPED = 24


def main(bpm, seconds, path):
    with open(path) as file:
        error = file.readline().strip()
        stamps = [int(words[0]) / 1e3 for words in map(str.split, file) if words[1:] == ["clock"]]
    tick = 60e6 / bpm / 24
    count = int(seconds * 1e6 / tick)
    stamps = stamps[SKIPPED : SKIPPED + count]
    if len(stamps) < count:
        fail(f"{path}: {len(stamps)} ticks instead of {count}; check that the clock played long enough")
    intervals = [after - before for before, after in zip(stamps, stamps[1:])]
    wrong = sum(not 0.5 * tick < each < 1.5 * tick for each in intervals)
    if wrong:
        fail(f"{path}: {wrong} intervals of less than half or more than one and a half ticks; ticks are missing or doubled")
    slope, start = statistics.linear_regression(range(count), stamps)
    phase = [stamp - start - slope * n for n, stamp in enumerate(stamps)]
    sizes = sorted(map(abs, phase))
    print(f"interval_sd_us={statistics.stdev(intervals):.3f} phase_p99_us={percentile(sizes, 0.99):.3f}",
          f"phase_peak_to_peak_us={max(phase) - min(phase):.3f} tempo_error_ppm={abs(tick / slope - 1) * 1e6:.3f}",
          f"ticks={count} {error}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
