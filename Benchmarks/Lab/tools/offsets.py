#!/usr/bin/env python3
"""offsets.py tutti LAUNCHED MASTER AHEAD FOLLOWER AHEAD: how far apart two peers' timelines are, instant by instant.
offsets.py link LAUNCHED FIRST AHEAD SECOND AHEAD: the same of two Ableton Link peers.

MASTER and FOLLOWER stand for MASTER.trace and MASTER.json, and so on: what `tutti peer` wrote with --trace and --json.
FIRST and SECOND are what linkpeer printed. AHEAD is by how many whole seconds that peer's clock is ahead, which is
taken out. LAUNCHED is the second of the true clock in which the later of the two programs was run: CLOCK_MONOTONIC, of
Link's CLOCK_MONOTONIC_RAW, as it is without a time namespace.

Prints "# met=S missing=N ahead=A,A", then a line "SECONDS MICROSECONDS" for every instant both tell of: seconds since
they met, and by how much the second's timeline is late there. S is how long after LAUNCHED they met: Tutti's peers at
the later `joined` event, Link's in the first line in which each counts the other in its session. Tutti's instants are
the ticks, due at one and due at the other; Link's a grid of 10 ms, where the difference of the beats modulo a bar of
four is multiplied by the length of a beat. N are the ticks, of those from the first to the last that both acted on, on
which one or both did not.
"""
import json
import sys

from figures import fail, trace

BAR = 4


def joined(path):
    """The instant of the first `joined` event, nanoseconds of the peer's own clock."""
    with open(path) as file:
        for line in file:
            event = json.loads(line)
            if event.get("event") == "joined":
                return event["at_ns"]
    fail(f"{path}: it joined nobody")


def tutti(launched, master, ahead, follower, ahead_too):
    """Seconds until they met, ticks missing, and the offsets as (seconds, microseconds)."""
    leads = [ahead * 10**9, ahead_too * 10**9]
    met = max(joined(f"{path}.json") - lead for path, lead in zip((master, follower), leads))
    first, second = (
        {tick: due - lead for tick, due in trace(f"{path}.trace")} for path, lead in zip((master, follower), leads))
    both = first.keys() & second.keys()
    if not both:
        fail(f"{master}.trace, {follower}.trace: no tick in common; did the follower play?")
    missing = max(both) - min(both) + 1 - len(both)
    offsets = [((first[tick] - met) / 1e9, (second[tick] - first[tick]) / 1e3) for tick in sorted(both)]
    return met / 1e9 - launched, missing, offsets


def positions(path, ahead):
    """What a Link peer told while it was in company: microsecond of the true clock to (beat, tempo)."""
    with open(path) as file:
        rows = [line.split() for line in file]
    return {int(r[0]) - ahead * 10**6: (float(r[1]), float(r[2])) for r in rows if len(r) == 4 and int(r[3]) > 0}


def link(launched, one, ahead, other, ahead_too):
    """The same of Link; nothing is missing, for the grid is the measuring tool's."""
    first, second = positions(one, ahead), positions(other, ahead_too)
    times = sorted(first.keys() & second.keys())
    if not times:
        fail(f"{one}, {other}: they never met")
    offsets = []
    for time in times:
        beats = (first[time][0] - second[time][0] + BAR / 2) % BAR - BAR / 2
        offsets.append(((time - times[0]) / 1e6, beats * 60e6 / first[time][1]))
    return times[0] / 1e6 - launched, 0, offsets


if __name__ == "__main__":
    programs = {"tutti": tutti, "link": link}
    if len(sys.argv) != 7 or sys.argv[1] not in programs:
        sys.exit(__doc__)
    program, launched, one, ahead, other, ahead_too = sys.argv[1:]
    met, missing, offsets = programs[program](float(launched), one, int(ahead), other, int(ahead_too))
    print(f"# met={met:.2f} missing={missing} ahead={ahead},{ahead_too}")
    for seconds, microseconds in offsets:
        print(f"{seconds:.6f} {microseconds:.3f}")
