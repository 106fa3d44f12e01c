"""What the analyses share: a distribution's figures as cyclictest's users say them, and traces."""
import json
import math
import sys


def percentile(ordered, share):
    """The nearest rank: the smallest value that `share` of all do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figures(values):
    """One line of key=value, with the unit of the values."""
    ordered = sorted(values)
    if not ordered:
        return "count=0"
    shown = [("min", ordered[0])]
    shown += [(name, percentile(ordered, share)) for name, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999))]
    shown += [("max", ordered[-1])]
    return f"count={len(ordered)} " + " ".join(f"{name}={value:.1f}" for name, value in shown)


def trace(path):
    """A trace's ticks, as (tick, nanosecond it was due), in the order they were acted on."""
    ticks = []
    with open(path) as file:
        for line in file:
            if line.startswith('{"tick"'):
                try:
                    tick = json.loads(line)
                except ValueError:
                    break  # the last line of a peer that was killed
                ticks.append((tick["tick"], tick["due"]))
    return ticks


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)
