#!/usr/bin/env bash
# study-ping.sh [RUNS]
#
# The ping test of the study of 2012: round trips of 4.6 ms on average and 6.5 ms at most. Two hosts of this machine, with a
# network between them that delays each datagram by 2.3 ms ± 0.4 ms, as far as the study describes its Wi-Fi.
# `tutti measure network` sends 50 requests in 5 s to a Tutti peer, RUNS (10) times; the network has the random numbers of the
# run.
#
# Expected: the median of the mean round trip is within 10 % of the study's, so that study-onsets.sh uses a network like that
# of the study.
#
# On real devices: ping -i 0.1 -c 50 HOST, and tutti measure network HOST:5004 --seconds 5 --interval 100.
set -euo pipefail
runs=${1:-10} shape="2300 400 0"
reference="1 study_2012 round_trip_mean_us 4600
1 study_2012 round_trip_max_us 6500
"
source "$(dirname "$0")/Lab/relayed.sh"

measure() { on 1 "$TUTTI" measure network 10.98.1.254:5004 --seconds 5 --interval 100 --json >"$results/network.json"; }
peer 2 --audio none --duration $((runs * 10 + 30))
second=$!
ready 2
for run in $(seq "$runs"); do
  relayed "$run" measure || failures=$((failures + 1))
  python3 - "$results/network.json" <<'PYTHON' | tee "$results/round-trip.txt"
import json, sys
trip = json.load(open(sys.argv[1]))["round_trip"]
print(f"round_trip_mean_us={trip['mean_us']:.1f} round_trip_max_us={trip['max_us']:.1f} requests={trip['count']}")
PYTHON
  record "$run" tutti <"$results/round-trip.txt"
done
stop "$second"
echo "the study of 2012: round_trip_mean_us=4600 round_trip_max_us=6500"
mean=$(awk '$3 == "round_trip_mean_us" {print $4}' "$results/runs.txt" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}')
awk -v mean="$mean" 'BEGIN {exit !(mean > 4140 && mean < 5060)}' || failures=$((failures + 1))
conclude "$runs"
