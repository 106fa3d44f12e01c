#!/usr/bin/env python3
"""phases.py PHASES MASTER AHEAD FOLLOWER AHEAD: prints the offset between two peers in every phase of a scenario.

PHASES contains a line "BEGIN LABEL" for each phase. BEGIN is the second of the true clock in which the phase begins; it
lasts until the next phase. MASTER, FOLLOWER and AHEAD are as in offsets.py. For every phase, the program prints the number
of ticks on which both peers acted, p50 and maximum of the magnitude of the offset, and the maximum lateness of both peers,
in microseconds. The first second after the peers met is ignored. The last line is "worst=US missing=N" for all phases.
"""
import bisect
import json
import sys

from figures import fail, percentile
from offsets import tutti

SETTLED = 1


def lateness(path, ahead):
    """(due time in seconds of the true clock, lateness in microseconds) of each tick."""
    with open(f"{path}.trace") as file:
        ticks = [json.loads(line) for line in file if line.startswith('{"tick"')]
    return [(tick["due"] / 1e9 - ahead, (tick["acted"] - tick["due"]) / 1e3) for tick in ticks]


def main(phases, master, ahead, follower, ahead_too):
    with open(phases) as file:
        begins, labels = zip(*((float(begin), label) for begin, label in (line.split(None, 1) for line in file)))
    met, missing, offsets = tutti(0, master, ahead, follower, ahead_too)
    distances, late = [[] for _ in begins], [[] for _ in begins]
    for pairs, into in (
        ([(met + seconds, abs(offset)) for seconds, offset in offsets], distances),
        (lateness(master, ahead) + lateness(follower, ahead_too), late),
    ):
        for at, value in pairs:
            phase = bisect.bisect(begins, at) - 1
            if phase >= 0 and at >= met + SETTLED:
                into[phase].append(value)
    worst = 0
    for label, values, delays in zip(labels, distances, late):
        if not values:
            fail(f"{label.strip()}: no tick; check that the rhythm continued")
        values.sort()
        worst = max(worst, values[-1])
        print(f"{label.strip()}: ticks={len(values)} p50={percentile(values, 0.5):.1f} max={values[-1]:.1f} us offset,",
              f"max={max(delays):.1f} us late")
    print(f"worst={worst:.1f} missing={missing}")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
