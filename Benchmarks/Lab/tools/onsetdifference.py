#!/usr/bin/env python3
"""onsetdifference.py HITS FIRST SECOND: prints the differences between the hits of two recordings, in microseconds.

The hits are those of hits.py. A hit is compared with the nearest hit of the other recording. Fails if fewer than HITS hits are
compared, or if a hit between the first and the last common hit has no partner within 50 ms.
"""
import sys

from figures import fail, percentile
from hits import nearest, onsets

NEAR = 2400  # frames


def main(least, first, second):
    (one, rate, _), (other, _, _) = onsets(first), onsets(second)
    if not one or not other:
        fail(f"{first}, {second}: {len(one)} and {len(other)} hits; check that both played")
    begin, end = max(one[0], other[0]) - NEAR, min(one[-1], other[-1]) + NEAR
    pairs = [(hit, nearest(other, hit)) for hit in one if begin <= hit <= end]
    if len(pairs) < least or len(pairs) != sum(begin <= hit <= end for hit in other):
        fail(f"{first}, {second}: {len(pairs)} common hits instead of {least}; hits are missing or doubled")
    differences = [(late - early) / rate * 1e6 for early, late in pairs]
    sizes = sorted(map(abs, differences))
    if sizes[-1] > NEAR / rate * 1e6:
        fail(f"{first}, {second}: a hit has no partner within 50 ms")
    print(f"difference_p50_us={percentile(sizes, 0.5):.1f}",
          f"difference_max_us={sizes[-1]:.1f} hits={len(pairs)}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(int(sys.argv[1]), *sys.argv[2:])
