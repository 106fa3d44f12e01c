#!/usr/bin/env python3
"""follow.py [--run K/N] TRUTH TRACE...: analyses how peers followed the clock of clockgen.

TRUTH is the output of clockgen. For every trace, the program prints: the ticks before the peer entered and the ticks that
it played after Stop (both are inevitable, because a MIDI clock does not announce changes); between these, the lost and the
duplicate ticks; the longest interval between two ticks in milliseconds.

A trace contains the peer's own count. A peer that misses a tick of clockgen, or counts one twice, continues without a gap,
and all following ticks are late or early by one tick. Therefore, from the third second after the peer has entered, each
tick must be due within half a tick of clockgen's deadline of the same number. Other ticks are counted as slipped.

The program also prints the deviations of the due times from the deadlines of the perfect clock, after subtracting the
mean: from the first tick on, and from the tenth second on, in microseconds.

Fails if any tick is lost, duplicate or slipped, if no tick can be judged, or if a peer entered or stopped more than a
quarter note, 24 ticks, late.

With --run, each trace must have N runs, and run K is analysed. A run begins where the tick number does not increase. A run
that is replaced by another run may continue without limit, because its clock has disappeared.
"""
import collections
import statistics
import sys

from figures import fail, figures, trace

ENTERING = 3_000_000_000
SETTLING = 10_000_000_000


def slips(deadlines, ticks, since):
    """The number of ticks with deadlines at or after `since`, the number of those that are due more than half a tick from
    the deadline, and the largest deviation in nanoseconds. A tick lasts until the next tick of clockgen."""
    judged = slipped = largest = 0
    for n, due in ticks:
        if n not in deadlines or deadlines[n] < since:
            continue
        length = deadlines[n + 1] - deadlines[n] if n + 1 in deadlines else deadlines[n] - deadlines[n - 1]
        judged += 1
        slipped += 2 * abs(due - deadlines[n]) > length
        largest = max(largest, abs(due - deadlines[n]))
    return judged, slipped, largest


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
        fail(f"{truth}: contains no ticks; check that clockgen ran")
    begin = min(deadlines.values())
    failures = 0
    for path in traces:
        name = path.rsplit("/", 1)[-1]
        ticks = trace(path)
        if run:
            found = runs(ticks)
            if len(found) != run[1]:
                print(f"{name}: {len(found)} runs instead of {run[1]}, at ticks", *[each[0][0] for each in found])
                return 1
            ticks = found[run[0] - 1]
        seen = collections.Counter(tick for tick, _ in ticks)
        if not seen:
            fail(f"{path}: contains no ticks; check that the peer followed")
        first, last = min(seen), max(seen)
        entry, over = first - min(deadlines), max(0, last - max(deadlines))
        lost = sum(tick not in seen for tick in range(first, max(last, max(deadlines)) + 1))
        duplicates = sum(count - 1 for count in seen.values())
        judged, slipped, largest = slips(deadlines, ticks, deadlines.get(first, begin) + ENTERING)
        if not judged:
            fail(f"{path}: no tick after the third second; run clockgen longer")
        longest = max((b[1] - a[1] for a, b in zip(ticks, ticks[1:])), default=0) / 1e6
        replaced = run and run[0] < run[1]
        failures += lost + duplicates + slipped + max(0, entry - 24) + (0 if replaced else max(0, over - 24))
        print(
            f"{name}: due={len(deadlines)} entry={entry} over={over} lost={lost} duplicates={duplicates}",
            f"slipped={slipped} max={largest / 1e3:.1f} us longest={longest:.2f}")
        for span, since in (("all", begin), ("from the tenth second on", begin + SETTLING)):
            errors = [(due - deadlines[n]) / 1e3 for n, due in ticks if n in deadlines and deadlines[n] >= since]
            if not errors:
                continue
            mean = statistics.fmean(errors)
            print(f"{name}, {span}: mean={mean:.1f}", figures([abs(error - mean) for error in errors]), "us deviation")
    return 1 if failures else 0


if __name__ == "__main__":
    words, run = sys.argv[1:], None
    if words[:1] == ["--run"] and len(words) > 1:
        run = tuple(map(int, words[1].split("/")))
        del words[:2]
    if len(words) < 2:
        sys.exit(__doc__)
    sys.exit(main(words[0], words[1:], run))
