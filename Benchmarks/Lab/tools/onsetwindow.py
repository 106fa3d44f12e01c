#!/usr/bin/env python3
"""onsetwindow.py BEGIN END HITS CSV: prints the differences between onsets from BEGIN to END seconds after the first common hit.

CSV is the output of `tutti measure audio --csv` for two recordings. The mean and the maximum are those of the magnitude, in
microseconds. A sign change is a difference whose sign is not that of the last difference above 1 us. Fails if the number of hits
in both recordings is not HITS.
"""
import csv
import statistics
import sys

from figures import fail

# A hit at the edge of the window can be some frames early, in seconds.
MARGIN = 0.01

if len(sys.argv) != 5:
    sys.exit(__doc__)
begin, end, hits = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
with open(sys.argv[4]) as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
if not rows:
    fail(f"{sys.argv[4]}: contains no hits; check that both peers played")
start = float(rows[0]["time_s"])
differences = [float(row["difference_ns"]) / 1e3 for row in rows if begin <= float(row["time_s"]) - start + MARGIN < end]
if len(differences) != hits:
    fail(f"{sys.argv[4]}: {len(differences)} common hits instead of {hits}")
signs = [each > 0 for each in differences if abs(each) > 1]
changes = sum(one != other for one, other in zip(signs, signs[1:]))
sizes = list(map(abs, differences))
print(f"difference_mean_us={statistics.mean(sizes):.1f} difference_max_us={max(sizes):.1f}",
      f"hits={len(differences)} sign_changes={changes}")
