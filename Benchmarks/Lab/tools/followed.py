#!/usr/bin/env python3
"""followed.py CLOCK TRACE: how a peer followed the clock of `tutti measure follower --save CLOCK`, by its own trace.

Prints the figures of `tutti measure follower`, calculated from the due instants of the ticks on which the peer plays sticks.yaml
(each twelfth), as key=value pairs in microseconds: the lag of the first tempo step, the jitter transfer, and the largest shift after a
lost tick, in ticks.
"""
import json
import statistics
import sys

from figures import fail, trace


def main(clock, path):
    with open(clock) as file:
        header = json.loads(file.readline())
        sent = {line["tick"]: line["sent"] for line in map(json.loads, file)}
    stimulus, origin = header["stimulus"], header["origin_ns"]
    quarters = max(round(stimulus["seconds"] * stimulus["tempo"] / 60), 8)
    period = 60e9 / stimulus["tempo"] / 24
    ratio = 1 + stimulus["step"] / 100
    # The first tick, the number of ticks and the length of a tick of each part.
    parts, tick, start = {}, 0, 0.0
    window = 24 * ((quarters + 1) // 2)
    for name, count, length in (
            ("steady", 24 * quarters, period), ("faster", 24 * round(quarters * ratio), period / ratio),
            ("back", 24 * quarters, period), ("jitter", 48 * quarters, period),
            ("losses", (stimulus["losses"] + 1) * window, period)):
        parts[name] = (tick, count, start, length)
        tick, start = tick + count, start + count * length

    def ideal(tick):
        first, count, start, length = next(p for p in parts.values() if p[0] <= tick < p[0] + p[1])
        return origin + start + (tick - first) * length

    ticks = [(n, due) for n, due in trace(path) if 0 <= n < tick]
    errors = {n: due - ideal(n) for n, due in ticks if n % 12 == 0}

    def errors_of(first, count):
        found = [errors[n] for n in range(first, first + count) if n in errors]
        if len(found) < 4:
            fail(f"{path}: only {len(found)} ticks from tick {first} to {first + count}; check that the peer followed")
        return found

    def settled(name):
        first, count, *_ = parts[name]
        return statistics.median(errors_of(first + count - count // 3, count // 3))

    first, count, *_ = parts["steady"]
    noise = statistics.stdev(errors_of(first + count // 3, count - count // 3))
    first, count, *_ = parts["jitter"]
    shifts = [sent[n] - ideal(n) for n in range(first, first + count) if n in sent]
    out = statistics.stdev(errors_of(first, count))
    transfer = max(out**2 - noise**2, 0) ** 0.5 / statistics.stdev(shifts)
    first, count, *_ = parts["losses"]
    halves = [statistics.median(errors_of(n + window // 2, window - window // 2)) for n in range(first, first + count, window)]
    shift = max(abs(b - a) / period for a, b in zip(halves, halves[1:]))
    lag = settled("faster") - settled("steady")
    print(f"lag={lag / 1e3:.1f} transfer={transfer:.4f} shift={shift:.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
