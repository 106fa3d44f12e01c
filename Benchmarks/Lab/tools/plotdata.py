#!/usr/bin/env python3
"""plotdata.py FOLDER DATA: writes the data for plot.sh from the files of side-by-side.sh in FOLDER/side-by-side-NETWORK.

DATA/NETWORK-PROGRAM.dat contains a block for each run: the middle of every second, in seconds since the peers met, and the
maximum magnitude of the offset in this second. DATA/PROGRAM.dat contains a line "PLACE P95 NETWORK" for each run, with the
p95 from 10 to 40 s. DATA/medians.dat contains a line "PLACE TUTTI LINK LIMIT NETWORK" for each network. All values are in
microseconds and at least 0.1, because the axes are logarithmic.
"""
import pathlib
import statistics
import sys

from sidebyside import LIMITS, runs

BIN = 1
FLOOR = 0.1
END = 40


def envelope(run):
    """The maximum magnitude in every bin, as (middle of the bin, microseconds)."""
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
