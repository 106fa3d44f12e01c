#!/usr/bin/env python3
"""plotdata.py FOLDER DATA: what plot.sh plots, from what side-by-side.sh left in FOLDER/side-by-side-NETWORK.

DATA/NETWORK-PROGRAM.dat has a block for each run: the greatest magnitude of the offset in every second, against
its middle, seconds since they met. DATA/PROGRAM.dat has a line "PLACE P95 NETWORK" for each run, of p95 from 10 to
40 s, DATA/medians.dat a line "PLACE TUTTI LINK LIMIT NETWORK" for each network. Microseconds, at least 0.1: the axes
are logarithmic.
"""
import pathlib
import statistics
import sys

from sidebyside import LIMITS, runs

BIN = 1
FLOOR = 0.1
END = 40


def envelope(run):
    """The greatest magnitude in every bin, as (middle of the bin, microseconds)."""
    worst = {}
    for seconds, offset in run.offsets:
        if 0 <= seconds < END:
            worst[int(seconds / BIN)] = max(worst.get(int(seconds / BIN), FLOOR), abs(offset))
    return [((n + 0.5) * BIN, value) for n, value in sorted(worst.items())]


def main(folder, data):
    data = pathlib.Path(data)
    points, medians = {"tutti": [], "link": []}, []
    for place, (network, (limit, _)) in enumerate(LIMITS.items(), 1):
        found = runs(pathlib.Path(folder, f"side-by-side-{network}"))
        if not found["tutti"]:
            continue
        for program, each in found.items():
            with open(data / f"{network}-{program}.dat", "w") as file:
                for run in each:
                    file.writelines(f"{seconds:.2f} {value:.2f}\n" for seconds, value in envelope(run))
                    file.write("\n")
            points[program] += [f"{place} {max(FLOOR, run.steady()):.2f} {network}\n" for run in each]
        tutti, link = (
            max(FLOOR, statistics.median(run.steady() for run in found[program])) for program in ("tutti", "link"))
        medians.append(f"{place} {tutti:.2f} {link:.2f} {limit} {network}\n")
    for name, lines in (*points.items(), ("medians", medians)):
        (data / f"{name}.dat").write_text("".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
