#!/usr/bin/env python3
"""phases.py PHASES MASTER AHEAD FOLLOWER AHEAD: how two peers kept together in every phase of a scenario.

PHASES has a line "BEGIN LABEL" for each, the second of the true clock in which it began; it lasts until the next one
begins. MASTER, FOLLOWER and AHEAD as in offsets.py. Of every phase: the ticks both acted on, p50 and maximum of the
magnitude of their offset, and how late the latest of either's was acted on, microseconds. Before one second after
they met nothing counts. Ends with "worst=US missing=N", of all phases.
"""
import bisect
import json
import sys

from figures import fail, percentile
from offsets import tutti

SETTLED = 1


def lateness(path, ahead):
    """(second of the true clock a tick was due, microseconds it was acted on later)."""
    with open(f"{path}.trace") as file:
        ticks = [json.loads(line) for line in file if line.startswith('{"tick"')]
    return [(tick["due"] / 1e9 - ahead, (tick["acted"] - tick["due"]) / 1e3) for tick in ticks]


def main(phases, master, ahead, follower, ahead_too):
    with open(phases) as file:
        begins, labels = zip(*((float(begin), label) for begin, label in (line.split(None, 1) for line in file)))
    met, missing, offsets = tutti(0, master, ahead, follower, ahead_too)
    kept, late = [[] for _ in begins], [[] for _ in begins]
    for pairs, into in (
        ([(met + seconds, abs(offset)) for seconds, offset in offsets], kept),
        (lateness(master, ahead) + lateness(follower, ahead_too), late),
    ):
        for at, value in pairs:
            phase = bisect.bisect(begins, at) - 1
            if phase >= 0 and at >= met + SETTLED:
                into[phase].append(value)
    worst = 0
    for label, values, delays in zip(labels, kept, late):
        if not values:
            fail(f"{label.strip()}: no tick; did the rhythm stop?")
        values.sort()
        worst = max(worst, values[-1])
        print(f"{label.strip()}: ticks={len(values)} p50={percentile(values, 0.5):.1f} max={values[-1]:.1f} us apart,",
              f"at most {max(delays):.1f} us late")
    print(f"worst={worst:.1f} missing={missing}")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
