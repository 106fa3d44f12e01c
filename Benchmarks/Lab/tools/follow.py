#!/usr/bin/env python3
"""follow.py [--run K/N] TRUTH TRACE...: how peers followed the clock that clockgen gave.

TRUTH is what clockgen printed. Of every trace: after how many ticks it came in and how many it played on after Stop,
both of which a clock that says nothing ahead makes inevitable; between these the ticks that are lost and those that are
doubled; the longest time between two ticks, in milliseconds. A trace is the peer's own count, and a peer that missed one
of clockgen's ticks, or heard one twice, counts on without a gap, all that follows a tick late or early. So from the third
second after it came in each tick must be due within half a tick of the deadline clockgen gave the same number; those
that are not are told as slipped.

How far the instants the ticks were due lie off the deadlines of the perfect clock is told, the mean taken out: from the
first tick on, and from the tenth second on. Microseconds.

Fails when any tick is lost, doubled or slipped, when none was left to judge, or when a trace came in or stopped more
than a quarter note, 24 ticks, late.

With --run the traces must have N runs, which begin where tick numbers do not rise, and the Kth is looked at. One that
another takes the place of may go on as long as it likes: its clock went away.
"""
import collections
import statistics
import sys

from figures import fail, figures, trace

ENTERING = 3_000_000_000
SETTLING = 10_000_000_000


def slips(deadlines, ticks, since):
    """Of the ticks whose deadline is `since` or later: how many, how many of them are due more than half a tick off
    that deadline, and the most that any is off, nanoseconds. A tick lasts until the next one of clockgen's."""
    judged = slipped = most = 0
    for n, due in ticks:
        if n not in deadlines or deadlines[n] < since:
            continue
        length = deadlines[n + 1] - deadlines[n] if n + 1 in deadlines else deadlines[n] - deadlines[n - 1]
        judged += 1
        slipped += 2 * abs(due - deadlines[n]) > length
        most = max(most, abs(due - deadlines[n]))
    return judged, slipped, most


def runs(ticks):
    found = []
    for n, pair in enumerate(ticks):
        if n == 0 or pair[0] <= ticks[n - 1][0]:
            found.append([])
        found[-1].append(pair)
    return found


def main(truth, traces, run=None):
    with open(truth) as file:
        deadlines = {int(words[1]): int(words[2]) for words in map(str.split, file) if words and words[0] == "tick"}
    if not deadlines:
        fail(f"{truth}: no ticks; did clockgen run?")
    begin = min(deadlines.values())
    faults = 0
    for path in traces:
        name = path.rsplit("/", 1)[-1]
        ticks = trace(path)
        if run:
            found = runs(ticks)
            if len(found) != run[1]:
                print(f"{name}: {len(found)} runs, not {run[1]}, from ticks", *[each[0][0] for each in found])
                return 1
            ticks = found[run[0] - 1]
        seen = collections.Counter(tick for tick, _ in ticks)
        if not seen:
            fail(f"{path}: no ticks; did the peer follow?")
        first, last = min(seen), max(seen)
        entry, over = first - min(deadlines), max(0, last - max(deadlines))
        lost = sum(tick not in seen for tick in range(first, max(last, max(deadlines)) + 1))
        doubled = sum(count - 1 for count in seen.values())
        judged, slipped, most = slips(deadlines, ticks, deadlines.get(first, begin) + ENTERING)
        if not judged:
            fail(f"{path}: no tick from the third second after it came in; let clockgen play longer")
        longest = max((b[1] - a[1] for a, b in zip(ticks, ticks[1:])), default=0) / 1e6
        replaced = run and run[0] < run[1]
        faults += lost + doubled + slipped + max(0, entry - 24) + (0 if replaced else max(0, over - 24))
        print(
            f"{name}: due={len(deadlines)} entry={entry} over={over} lost={lost} doubled={doubled}",
            f"slipped={slipped} most={most / 1e3:.1f} us longest={longest:.2f}")
        for span, since in (("all", begin), ("from the tenth second on", begin + SETTLING)):
            errors = [(due - deadlines[n]) / 1e3 for n, due in ticks if n in deadlines and deadlines[n] >= since]
            if not errors:
                continue
            mean = statistics.fmean(errors)
            print(f"{name}, {span}: mean={mean:.1f}", figures([abs(error - mean) for error in errors]), "us off")
    return 1 if faults else 0


if __name__ == "__main__":
    words, run = sys.argv[1:], None
    if words[:1] == ["--run"] and len(words) > 1:
        run = tuple(map(int, words[1].split("/")))
        del words[:2]
    if len(words) < 2:
        sys.exit(__doc__)
    sys.exit(main(words[0], words[1:], run))
