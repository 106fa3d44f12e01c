#!/usr/bin/env python3
"""griddeviation.py SPACING HITS WAV: prints the deviation of hits from a grid of SPACING frames, in microseconds.

The hits are those of hits.py. The grid has the nominal rate; its origin is the median of the hits. The first hit is ignored.
Fails if fewer than HITS hits are recorded, or if one is missing or doubled between the first and the last.
"""
import statistics
import sys

from figures import fail, percentile
from hits import onsets


def main(spacing, least, path):
    hits, rate, _ = onsets(path)
    hits = hits[1:]
    if len(hits) < least:
        fail(f"{path}: {len(hits)} hits instead of {least}; check that the player played")
    places = [round((hit - hits[0]) / spacing) for hit in hits]
    if places != list(range(len(places))):
        fail(f"{path}: a hit is missing or doubled")
    off = [(hit - place * spacing) / rate * 1e6 for hit, place in zip(hits, places)]
    origin = statistics.median_low(off)
    sizes = sorted(abs(each - origin) for each in off)
    print(f"deviation_p50_us={percentile(sizes, 0.5):.1f} deviation_max_us={sizes[-1]:.1f}",
          f"peak_to_peak_us={max(off) - min(off):.1f} hits={len(hits)}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
