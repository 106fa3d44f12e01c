#!/usr/bin/env bash
# two-peers.sh [NETWORK] [SECONDS] [stress]
#
# Do two peers sound together? Two hosts, each with a clock of its own, on the network still, lan (default), wifi or
# poor; each plays sticks.yaml at 120 BPM for SECONDS (60) into a substream of the loopback card, and one program
# records both, the streams linked.
#
# Expected: the same hit differs by at most 0.5 ms at p99; the master's hits lie on their grid, 12 000 frames apart,
# within 1 frame; none is missing. How well the follower keeps to that grid of its own is told: it is the difference
# without its mean.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan} seconds=${2:-60}
limit=500
tools linkcap
hosts 2 "$network"
[[ ${3-} != stress ]] || stress

linkcap "$((seconds + 25))" "$results/peer" hw:Loopback,1,0 hw:Loopback,1,1 >"$results/linkcap.txt" &
recorder=$!
host=2 peer ben --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,1 --duration "$((seconds + 20))"
ready ben
host=1 peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --connect 10.99.0.2:5004 --start --bpm 120 \
  --duration "$seconds"
player=$!
wait "$player"
wait "$recorder"
first=$(awk '$1 == "frame" {print $3}' "$results/linkcap.txt")

off=0
for n in 1 2; do
  name=$([[ $n == 1 ]] && echo ada || echo ben)
  report=$(hits.py "$results/peer$((n - 1)).wav" 12000 "$first" "$results/$name.trace" "${ahead[n]}")
  echo "$name, $report"
  [[ $(figure missing <<<"$report")$(figure doubled <<<"$report") == 00 ]] || off=1
  [[ $n == 2 ]] || at_most "$(figure max <<<"$report")" 1 || off=1
done
"$TUTTI" measure audio --json "$results/peer0.wav" "$results/peer1.wav" >"$results/audio.json"
difference=$(pick "$results/audio.json" comparisons.0.magnitude.p99_us)
matched=$(pick "$results/audio.json" comparisons.0.matched)
[[ $(pick "$results/audio.json" comparisons.0.missing) == 0 ]] || off=1
frames=$(awk -v us="$difference" 'BEGIN {printf "%.1f", us * 0.048}')
echo "difference of $matched hits: p99=$difference us, $frames frames"
[[ $off == 0 ]] || echo "hits off their own grid, or missing"
verdict=fail
[[ $off == 0 ]] && at_most "$difference" "$limit" && verdict=pass
result "$verdict" "${difference}us" "${limit}us"
