#!/usr/bin/env python3
"""sidebyside.py NETWORK FOLDER: Tutti and Ableton Link compared, from FOLDER/run-*/tutti.offsets and link.offsets.

Of every run: how long the two took to meet; the greatest magnitude of their offset from 1.0 to 1.2 s after they met,
or in the first 0.2 s both played, where that was later; and p50, p95 and the maximum of the magnitude from 0 to 2, 2 to
10 and 10 to 40 s after they met. Microseconds. Then the medians of the p95 from 10 to 40 s, which decide: Tutti's is at
most the limit of the network, and at most Link's or 1 us, whichever is larger. One second after they met, Tutti is
within 1 ms in every run, on the network poor within 3 ms; and of its ticks none is missing.
"""
import pathlib
import statistics
import sys

from figures import fail, percentile

# Microseconds: the median of the p95, and the offset one second after meeting.
LIMITS = {"still": (2, 1000), "lan": (8, 1000), "wifi": (60, 1000), "poor": (40, 3000)}
LEAST = 1
WINDOWS = ((0, 2), (2, 10), (10, 40))
# Instants a second that each program is asked at: ticks at 120 BPM, linkpeer's grid.
RATES = {"tutti": 48, "link": 100}


class Run:
    """The offsets of two peers in one run, and the figures made of them."""

    def __init__(self, path):
        with open(path) as file:
            words = file.readline().split()
            self.offsets = [tuple(map(float, line.split())) for line in file]
        if words[:1] != ["#"] or not self.offsets:
            fail(f"{path}: no offsets; look at the logs beside it")
        about = dict(word.split("=") for word in words[1:])
        self.met, self.missing = float(about["met"]), int(about["missing"])
        judged = len(self.magnitudes(*WINDOWS[-1]))
        expected = RATES[path.stem] * (WINDOWS[-1][1] - WINDOWS[-1][0])
        if judged < 0.98 * expected:
            fail(f"{path}: {judged} offsets from {WINDOWS[-1][0]} to {WINDOWS[-1][1]} s, not {expected}")
        # When the instant called one second after meeting begins, and the worst there.
        self.early = next(max(1.0, seconds) for seconds, _ in self.offsets if seconds >= 0)
        soon = self.magnitudes(self.early, self.early + 0.2)
        if not soon:
            fail(f"{path}: no offset from {self.early:.1f} s, where one is judged, in 0.2 s; did the rhythm stop?")
        self.soon = soon[-1]

    def magnitudes(self, begin, end):
        return sorted(abs(offset) for seconds, offset in self.offsets if begin <= seconds < end)

    def steady(self):
        """p95 of the magnitude from 10 to 40 s: what decides."""
        return percentile(self.magnitudes(*WINDOWS[-1]), 0.95)

    def describe(self):
        soon = f"{self.soon:.1f}" + (f" (at {self.early:.1f} s)" if self.early > 1 else "")
        cells = [f"{self.met:.2f}", soon]
        for window in WINDOWS:
            ordered = self.magnitudes(*window)
            for value in (percentile(ordered, 0.5), percentile(ordered, 0.95), ordered[-1]) if ordered else "---":
                cells.append(value if value == "-" else f"{value:.1f}")
        return cells


def runs(folder):
    """The runs below a folder, in their order: {"tutti": [Run], "link": [Run]}."""
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
        fail(f"{folder}: no runs")
    spans = [f"{begin}-{end} s {name}" for begin, end in WINDOWS for name in ("p50", "p95", "max")]
    rows = [["run", "peers", "met, s", "after 1 s"] + spans]
    for n, pair in enumerate(zip(found["tutti"], found["link"]), 1):
        rows += [[str(n), name] + run.describe() for name, run in zip(("Tutti", "Link"), pair)]
    print(f"network {network}, magnitude of the offset, microseconds:")
    table(rows)
    medians = {}
    for program, name in (("tutti", "Tutti"), ("link", "Link")):
        steady = sorted(run.steady() for run in found[program])
        medians[program] = statistics.median(steady)
        print(f"{network}, p95 from 10 to 40 s, {name}:", *(f"{value:.1f}" for value in steady),
              f"median {medians[program]:.1f}")
    bound = min(limit, max(medians["link"], LEAST))
    wrong = 0
    for n, run in enumerate(found["tutti"], 1):
        if run.soon > soon:
            print(f"not as expected: run {n}: {run.soon:.1f} us off one second after they met, limit {soon}")
            wrong = 1
        if run.missing:
            print(f"not as expected: run {n}: {run.missing} ticks missing at one of the two")
            wrong = 1
    print(f"median={medians['tutti']:.1f}us limit={bound:.1f}us")
    return 1 if wrong or medians["tutti"] > bound else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in LIMITS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
