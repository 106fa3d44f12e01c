#!/usr/bin/env python3
"""behind.py LEADER FOLLOWER: compares the ticks of two peers on one machine, of which the follower gets the clock of the leader through another
program.

A run is a series of ticks of the leader between Start or Continue and Stop. Prints the number of runs, the number of ticks of the leader that
the follower has not played, and the error of the others: due time of the follower minus that of the leader, in microseconds. The first quarter
note of each run is left out, because the follower cannot announce its entry earlier.
"""
import sys

from figures import trace

QUARTER = 24


def runs(ticks):
    found = []
    for tick, due in ticks:
        if not found or tick != found[-1][-1][0] + 1 or due - found[-1][-1][1] > 500_000_000:
            found.append([])
        found[-1].append((tick, due))
    return found


def main(leader, follower):
    played = {}
    for tick, due in trace(follower):
        played.setdefault(tick, []).append(due)
    found, missing, errors = runs(trace(leader)), 0, []
    for run in found:
        for tick, due in run[QUARTER:]:
            nearest = min((other - due for other in played.get(tick, ())), key=abs, default=None)
            if nearest is None or abs(nearest) > 500_000_000:
                missing += 1
            else:
                errors.append(abs(nearest) / 1000)
    errors.sort()
    last = len(errors) - 1
    print(f"runs={len(found)} ticks={len(errors)} missing={missing} median_us={errors[last // 2]:.1f} "
          f"p95_us={errors[last * 95 // 100]:.1f} max_us={errors[last]:.1f}")


main(*sys.argv[1:])
