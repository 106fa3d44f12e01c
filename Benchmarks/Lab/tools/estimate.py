#!/usr/bin/env python3
"""estimate.py tutti OFFSETS: prints the error of the clock estimate of Tutti, from the output of offsets.py.
estimate.py chrony STATISTICS: prints that of chronyd, from its statistics.log. The true offset is 0.

The figures cover the seconds 10 to 30: since the peers met, or since the first line of chronyd. They are p95 and the maximum of
the magnitude, and the mean of the signed errors, in microseconds. Fails if the estimates end before second 29.
"""
import calendar
import statistics
import sys
import time

from figures import fail, percentile

BEGIN, END = 10, 30


def chrony(lines):
    """The (second, microseconds) of each line: date, time, address, deviation, estimated offset, ..."""
    rows = [words for words in map(str.split, lines) if len(words) > 5 and words[0][:2] == "20"]
    stamps = [calendar.timegm(time.strptime(" ".join(words[:2]), "%Y-%m-%d %H:%M:%S")) for words in rows]
    return [(stamp - stamps[0], float(words[4]) * 1e6) for stamp, words in zip(stamps, rows)]


def tutti(lines):
    return [tuple(map(float, line.split())) for line in lines if not line.startswith("#")]


if __name__ == "__main__":
    programs = {"tutti": tutti, "chrony": chrony}
    if len(sys.argv) != 3 or sys.argv[1] not in programs:
        sys.exit(__doc__)
    with open(sys.argv[2]) as log:
        errors = programs[sys.argv[1]](log)
    judged = [error for second, error in errors if BEGIN <= second < END]
    if not judged or errors[-1][0] < END - 1:
        fail(f"{sys.argv[2]}: {len(errors)} estimates, and none at second {END - 1}; check the logs")
    sizes = sorted(map(abs, judged))
    print(f"error_p95_us={percentile(sizes, 0.95):.3f} error_max_us={sizes[-1]:.3f}",
          f"estimates={len(judged)} mean={statistics.mean(judged):.3f}")
