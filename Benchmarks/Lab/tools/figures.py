"""Common functions of the analysis programs: percentiles as in cyclictest, and reading of traces."""
import json
import math
import sys


def percentile(ordered, share):
    """The nearest-rank percentile: the smallest value that is not exceeded by `share` of all values."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figures(values, decimals=1):
    """The figures of a distribution as one line of key=value pairs, in the unit of the values."""
    ordered = sorted(values)
    if not ordered:
        return "count=0"
    shown = [("min", ordered[0])]
    shown += [(name, percentile(ordered, share)) for name, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999))]
    shown += [("max", ordered[-1])]
    return f"count={len(ordered)} " + " ".join(f"{name}={value:.{decimals}f}" for name, value in shown)


def trace(path):
    """The ticks of a trace as (tick, due time in nanoseconds), in the order in which the peer acted on them."""
    ticks = []
    with open(path) as file:
        for line in file:
            if line.startswith('{"tick"'):
                try:
                    tick = json.loads(line)
                except ValueError:
                    break  # the incomplete last line of a killed peer
                ticks.append((tick["tick"], tick["due"]))
    return ticks


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)
