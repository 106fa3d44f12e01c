#!/usr/bin/env python3
"""offsets.py tutti LAUNCHED MASTER AHEAD FOLLOWER AHEAD: prints the offset between the timelines of two Tutti peers.
offsets.py link LAUNCHED FIRST AHEAD SECOND AHEAD: prints the offset between two Ableton Link peers.

MASTER stands for MASTER.trace and MASTER.json, the files that `tutti peer` wrote with --trace and --json; FOLLOWER likewise.
FIRST and SECOND are the outputs of linkpeer. Each peer runs in a time namespace whose clock is AHEAD whole seconds ahead of
the machine's clock; AHEAD is subtracted. LAUNCHED is the time, in seconds of the machine's clock, at which the later of the
two programs was started. The clock is CLOCK_MONOTONIC for Tutti and CLOCK_MONOTONIC_RAW for Link.

Prints "# met=S missing=N ahead=A,A", then a line "SECONDS MICROSECONDS" for every instant that both peers report: the
seconds since the peers met, and the lateness of the second peer's timeline. S is the time from LAUNCHED until the peers met:
for Tutti the later `joined` event, for Link the first line in which each peer counts the other in its session. For Tutti,
the instants are the ticks, and the offset is the difference of their due times. For Link, the instants are a grid of 10 ms,
and the offset is the difference of the beats modulo a bar of four, multiplied by the length of a beat. N is the number of
ticks between the first and the last common tick on which one or both peers did not act.
"""
import json
import sys

from figures import fail, trace

BAR = 4


def joined(path):
    """The instant of the first `joined` event in nanoseconds of the peer's clock."""
    with open(path) as file:
        for line in file:
            event = json.loads(line)
            if event.get("event") == "joined":
                return event["at_ns"]
    fail(f"{path}: contains no joined event; check the log")


def tutti(launched, master, ahead, follower, ahead_too):
    """The seconds until the peers met, the number of missing ticks, and the offsets as (seconds, microseconds)."""
    leads = [ahead * 10**9, ahead_too * 10**9]
    met = max(joined(f"{path}.json") - lead for path, lead in zip((master, follower), leads))
    first, second = (
        {tick: due - lead for tick, due in trace(f"{path}.trace")} for path, lead in zip((master, follower), leads))
    both = first.keys() & second.keys()
    if not both:
        fail(f"{master}.trace, {follower}.trace: no common tick; check that the follower played")
    missing = max(both) - min(both) + 1 - len(both)
    offsets = [((first[tick] - met) / 1e9, (second[tick] - first[tick]) / 1e3) for tick in sorted(both)]
    return met / 1e9 - launched, missing, offsets


def positions(path, ahead):
    """The output of a Link peer while it had peers: microsecond of the machine's clock to (beat, tempo)."""
    with open(path) as file:
        rows = [line.split() for line in file]
    return {int(r[0]) - ahead * 10**6: (float(r[1]), float(r[2])) for r in rows if len(r) == 4 and int(r[3]) > 0}


def link(launched, one, ahead, other, ahead_too):
    """The same for Link. No instant is missing, because the measuring tool defines the grid."""
    first, second = positions(one, ahead), positions(other, ahead_too)
    times = sorted(first.keys() & second.keys())
    if not times:
        fail(f"{one}, {other}: the peers never met; check the network")
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
