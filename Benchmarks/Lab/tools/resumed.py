#!/usr/bin/env python3
"""resumed.py SUSPENSIONS FIRST AHEAD SECOND AHEAD: prints how soon two peers play in step after each suspension.

SUSPENSIONS contains a line "NAME BEGIN END" for each suspension, in order: the name of the suspended peer, and seconds of the
true clock. FIRST, SECOND and AHEAD are as in offsets.py. After a suspension, the peers are in step from the first tick on which
both acted with an offset of at most 1 ms, if that is so for all further ticks until the next suspension. Prints the time from
END to this tick in milliseconds, and the maximum offset from then on in microseconds. The last line is "worst=MS offset=US".
"""
import os
import sys

from figures import fail, trace

LIMIT = 1e-3


def true_ticks(path, ahead, suspensions):
    """Tick number to due time in seconds of the true clock. The clock of a suspended peer stands still."""
    ticks = {}
    for tick, due in trace(f"{path}.trace"):
        at = due / 1e9 - ahead
        for name, begin, end in suspensions:
            if name == os.path.basename(path) and at > begin:
                at += end - begin
        ticks[tick] = at
    return ticks


def main(path, one, ahead, other, ahead_too):
    with open(path) as file:
        suspensions = [(name, float(begin), float(end)) for name, begin, end in (line.split() for line in file)]
    first, second = true_ticks(one, ahead, suspensions), true_ticks(other, ahead_too, suspensions)
    last = min(max(first.values()), max(second.values()))
    worst = largest = 0
    for index, (name, begin, end) in enumerate(suspensions):
        until = suspensions[index + 1][1] if index + 1 < len(suspensions) else last
        apart, offset = end, 0
        for tick in sorted(first.keys() | second.keys()):
            at = min(ticks[tick] for ticks in (first, second) if tick in ticks)
            if not end <= at < until:
                continue
            distance = abs(first[tick] - second[tick]) if tick in first and tick in second else 1
            if distance > LIMIT:
                apart, offset = at, 0
            else:
                offset = max(offset, distance)
        print(f"{name} suspended for {end - begin:.2f} s: in step after {1e3 * (apart - end):.0f} ms, max={1e6 * offset:.1f} us")
        if until - apart < 1:
            fail(f"{name}: not in step before the next suspension; check the messages of the peers")
        worst, largest = max(worst, apart - end), max(largest, offset)
    print(f"worst={1e3 * worst:.0f} offset={1e6 * largest:.1f}")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
