#!/usr/bin/env python3
"""cyclictest-histogram.py [LOOPS]

Is the histogram of `tutti measure clock --histogram` that of cyclictest for the same data? Runs cyclictest LOOPS (20 000) times, 1 ms
apart, and turns each latency of its histogram into four stamps of a clock: late, early, early and late by this latency. The best-fit
line through the stamps is then the line without the latencies, so that each bin must have four times the count of cyclictest.
Exit status 1 if a bin, the minimum or the maximum differs.

Needs the release build, or TUTTI=PROGRAM; and cyclictest (Debian package rt-tests), as root.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

LIMIT = 9000  # microseconds; less than half of PERIOD
PERIOD = 20_000_000  # nanoseconds; 125 BPM


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read(text):
    """The counts by microsecond, and the minimum and the maximum."""
    bins = {int(us): int(count) for us, count in re.findall(r"^(\d{6}) (\d+)$", text, re.M) if int(count)}
    return bins, [int(re.search(rf"# {name} Latencies: (\d+)", text)[1]) for name in ("Min", "Max")]


def main(loops):
    text = run("cyclictest", "-q", "-m", "-p", "80", "-i", "1000", "-l", str(loops), "-h", str(LIMIT))
    expected, extremes = read(text)
    if extremes[1] >= LIMIT:
        sys.exit(f"cyclictest: a latency of {extremes[1]} us is beyond the histogram; run the test again")
    latencies = [us * 1000 + 500 for us, count in expected.items() for _ in range(count)]
    random.Random(1).shuffle(latencies)
    errors = [sign * latency for latency in latencies for sign in (1, -1, -1, 1)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{10**12 + n * PERIOD + error}\n" for n, error in enumerate(errors))
        file.flush()
        tutti = os.environ.get("TUTTI", os.path.join(os.path.dirname(__file__), "../.build/release/tutti"))
        measured, measured_extremes = read(
            run(tutti, "measure", "clock", file.name, "--nominal", "125", "--histogram", str(LIMIT)))
    wrong = sorted(us for us in expected.keys() | measured.keys() if 4 * expected.get(us, 0) != measured.get(us, 0))
    print(f"bins={len(expected)} min={extremes[0]} max={extremes[1]} us, different bins: {wrong or 'none'}")
    sys.exit(bool(wrong) or extremes != measured_extremes)


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:] and not sys.argv[1].isdigit():
        sys.exit(__doc__)
    main(int(sys.argv[1]) if sys.argv[1:] else 20000)
