#!/usr/bin/env python3
"""follow.py TRUTH TRACE...: how peers followed the clock that clockgen gave.

TRUTH is what clockgen printed. Of every trace: the ticks of clockgen that are lost and those that are doubled, and by
how much the instants the ticks were due lie off the deadlines of the perfect clock, their mean taken out: from the
first tick on, and from the tenth second on. Microseconds. Fails when any tick is lost or doubled.
"""
import collections
import statistics
import sys

from figures import fail, figures, trace

SETTLING = 10_000_000_000


def main(truth, traces):
    with open(truth) as file:
        deadlines = {int(words[1]): int(words[2]) for words in map(str.split, file) if words and words[0] == "tick"}
    if not deadlines:
        fail(f"{truth}: no ticks; did clockgen run?")
    begin = min(deadlines.values())
    faults = 0
    for path in traces:
        name = path.rsplit("/", 1)[-1]
        ticks = trace(path)
        seen = collections.Counter(tick for tick, _ in ticks)
        lost = sum(tick not in seen for tick in deadlines)
        doubled = sum(count - 1 for count in seen.values()) + sum(tick not in deadlines for tick in seen)
        faults += lost + doubled
        print(f"{name}: due={len(deadlines)} lost={lost} doubled={doubled}")
        for span, since in (("all", begin), ("from the tenth second on", begin + SETTLING)):
            errors = [(due - deadlines[n]) / 1e3 for n, due in ticks if n in deadlines and deadlines[n] >= since]
            if not errors:
                continue
            mean = statistics.fmean(errors)
            print(f"{name}, {span}: mean={mean:.1f}", figures([abs(error - mean) for error in errors]), "us off")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
