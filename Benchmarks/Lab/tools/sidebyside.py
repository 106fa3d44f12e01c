#!/usr/bin/env python3
"""sidebyside.py NETWORK FOLDER: compares Tutti with Ableton Link, from FOLDER/run-*/tutti.offsets and link.offsets.

For every run, the program prints: the time until the peers met; the maximum magnitude of the offset from 1.0 to 1.2 s after
the peers met, or in the first 0.2 s in which both played if that was later; and p50, p95 and maximum of the magnitude from
0 to 2, 2 to 10 and 10 to 40 s after the peers met, in microseconds. The medians of the p95 from 10 to 40 s decide: the
median of Tutti must be at most the limit of the network, and at most the median of Link or 1 us, whichever is larger. In
every run, Tutti must be within 1 ms one second after the peers met, on the network poor within 3 ms, and no tick may be
missing. On wifi and busy, the median of Tutti must also be at most 0.6 of the median of Link, and the median of the p95 from 0 to
2 s at most that of Link.
"""
import pathlib
import statistics
import sys

from figures import fail, percentile

# Limits in microseconds: the median of the p95, and the offset one second after the peers met.
LIMITS = {"still": (2, 1000), "lan": (8, 1000), "wifi": (60, 1000), "busy": (120, 3000), "poor": (40, 3000)}
LEAST = 1
# On networks whose delay has a soft lower edge: the greatest ratio to the median of Link from 10 to 40 s.
SOFT_RATIO = {"wifi": 0.6, "busy": 0.6}
WINDOWS = ((0, 2), (2, 10), (10, 40))
# Instants per second: ticks at 120 BPM, and the grid of linkpeer.
RATES = {"tutti": 48, "link": 100}


class Run:
    """The offsets of two peers in one run, and their figures."""

    def __init__(self, path):
        with open(path) as file:
            words = file.readline().split()
            self.offsets = [tuple(map(float, line.split())) for line in file]
        if words[:1] != ["#"] or not self.offsets:
            fail(f"{path}: contains no offsets; see the logs in its folder")
        about = dict(word.split("=") for word in words[1:])
        self.met, self.missing = float(about["met"]), int(about["missing"])
        judged = len(self.magnitudes(*WINDOWS[-1]))
        expected = RATES[path.stem] * (WINDOWS[-1][1] - WINDOWS[-1][0])
        if judged < 0.98 * expected:
            fail(f"{path}: {judged} offsets from {WINDOWS[-1][0]} to {WINDOWS[-1][1]} s instead of {expected}")
        # The beginning of the interval "one second after the peers met", and the maximum offset in it.
        self.early = next(max(1.0, seconds) for seconds, _ in self.offsets if seconds >= 0)
        soon = self.magnitudes(self.early, self.early + 0.2)
        if not soon:
            fail(f"{path}: no offset in the 0.2 s after {self.early:.1f} s; check that the rhythm continued")
        self.soon = soon[-1]

    def magnitudes(self, begin, end):
        return sorted(abs(offset) for seconds, offset in self.offsets if begin <= seconds < end)

    def p95(self, window):
        """The p95 of the magnitude in a window; 0 if the run has no offset in the window."""
        ordered = self.magnitudes(*window)
        return percentile(ordered, 0.95) if ordered else 0

    def steady(self):
        """The p95 from 10 to 40 s, which decides."""
        return self.p95(WINDOWS[-1])

    def describe(self):
        soon = f"{self.soon:.1f}" + (f" (at {self.early:.1f} s)" if self.early > 1 else "")
        cells = [f"{self.met:.2f}", soon]
        for window in WINDOWS:
            ordered = self.magnitudes(*window)
            for value in (percentile(ordered, 0.5), percentile(ordered, 0.95), ordered[-1]) if ordered else "---":
                cells.append(value if value == "-" else f"{value:.1f}")
        return cells


def runs(folder):
    """The runs in a folder, in order: {"tutti": [Run], "link": [Run]}."""
    paths = sorted(pathlib.Path(folder).glob("run-*"), key=lambda path: int(path.name[4:]))
    return {program: [Run(path / f"{program}.offsets") for path in paths] for program in ("tutti", "link")}


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) if n < 2 else cell.rjust(width)
                        for n, (cell, width) in enumerate(zip(row, widths))).rstrip())


def main(network, folder):
    limit, soon = LIMITS[network]
    found = runs(folder)
    if not found["tutti"]:
        fail(f"{folder}: contains no runs; give the output folder of side-by-side.sh")
    spans = [f"{begin}-{end} s {name}" for begin, end in WINDOWS for name in ("p50", "p95", "max")]
    rows = [["run", "peers", "met, s", "after 1 s"] + spans]
    for n, pair in enumerate(zip(found["tutti"], found["link"]), 1):
        rows += [[str(n), name] + run.describe() for name, run in zip(("Tutti", "Link"), pair)]
    print(f"network {network}, magnitude of the offset, microseconds:")
    table(rows)
    medians, first = {}, {}
    for program, name in (("tutti", "Tutti"), ("link", "Link")):
        for window, values in ((WINDOWS[0], first), (WINDOWS[-1], medians)):
            ordered = sorted(run.p95(window) for run in found[program])
            values[program] = statistics.median(ordered)
            print(f"{network}, p95 from {window[0]} to {window[1]} s, {name}:", *(f"{value:.1f}" for value in ordered),
                  f"median {values[program]:.1f}")
    print(f"{network}, Tutti / Link: {medians['tutti'] / medians['link']:.2f} from 10 to 40 s, "
          f"{first['tutti'] / first['link']:.2f} from 0 to 2 s")
    bound = min(limit, max(SOFT_RATIO.get(network, 1) * medians["link"], LEAST))
    failed = 0
    if network in SOFT_RATIO and first["tutti"] > first["link"]:
        print(f"not as expected: p95 from 0 to 2 s: {first['tutti']:.1f} us, Link {first['link']:.1f} us")
        failed = 1
    for n, run in enumerate(found["tutti"], 1):
        if run.soon > soon:
            print(f"not as expected: run {n}: offset {run.soon:.1f} us one second after the peers met, limit {soon}")
            failed = 1
        if run.missing:
            print(f"not as expected: run {n}: {run.missing} ticks missing at one of the peers")
            failed = 1
    print(f"median={medians['tutti']:.1f}us limit={bound:.1f}us")
    return 1 if failed or medians["tutti"] > bound else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in LIMITS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
