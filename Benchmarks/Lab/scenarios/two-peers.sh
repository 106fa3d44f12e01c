#!/usr/bin/env bash
# two-peers.sh [NETWORK] [SECONDS] [stress]
#
# Do two peers sound at the same time? There are two hosts with their own clocks on the network still, lan (default), wifi or
# poor. Each peer plays sticks.yaml at 120 BPM for SECONDS (60) to a substream of the loopback card. One program records
# both substreams, which are linked.
#
# Expected: p99 of the difference between the same hit of both peers is at most 1 frame on the networks still and lan, 4 frames on
# wifi, and 0.5 ms on poor. A frame is 20.8 us. On wifi, the limit holds for the median of five runs (Benchmarks/README.md). The
# hits of the master are within 1 frame of a grid of 12 000 frames. All due hits of both peers are recorded, four per second,
# except two at the ends.
# Neither peer counts a late hit, a dropped hit or a loss of the card. Both peers end with status 0, and the recorder runs
# longer than the master. The deviation of the follower from its own grid is printed: it is the difference without the
# mean.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan} seconds=${2:-60}
case $network in
  still | lan) limit=20.9 ;;
  wifi) limit=83.4 ;;
  *) limit=500 ;;
esac
tools linkcap
hosts 2 "$network"
[[ ${3-} != stress ]] || stress

linkcap "$((seconds + 25))" "$results/peer" hw:Loopback,1,0 hw:Loopback,1,1 >"$results/linkcap.txt" &
recorder=$!
host=2 peer ben --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,1 --duration "$((seconds + 20))"
follower=$!
ready ben
host=1 peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --connect 10.99.0.2:5004 --start --bpm 120 \
  --duration "$seconds"
master=$!
wait "$master"
kill -0 "$recorder"
wait "$follower"
wait "$recorder"
first=$(awk '$1 == "frame" {print $3}' "$results/linkcap.txt")

# complain WHAT: reports an unexpected result.
failed=0
complain() { echo "not as expected: $1"; failed=1; }
for n in 1 2; do
  name=$([[ $n == 1 ]] && echo ada || echo ben)
  report=$(hits.py "$results/peer$((n - 1)).wav" 12000 "$first" "$results/$name.trace" "${ahead[n]}")
  echo "$name, $report"
  [[ $(figure missing <<<"$report")$(figure duplicates <<<"$report")$(figure unrecorded <<<"$report") == 000 ]] ||
    complain "hits of $name are missing, duplicate or not recorded"
  [[ $n == 2 ]] || at_most "$(figure max <<<"$report")" 1 || complain "hits of $name are not on the grid"
  for count in late_hits dropped_hits card_losses; do
    [[ $(pick "$results/$name.json" "$count") == 0 ]] || complain "$count of $name is not 0"
  done
done
"$TUTTI" measure audio --json "$results/peer0.wav" "$results/peer1.wav" >"$results/audio.json"
difference=$(pick "$results/audio.json" comparisons.0.magnitude.p99_us)
matched=$(pick "$results/audio.json" comparisons.0.matched)
[[ $(pick "$results/audio.json" comparisons.0.missing) == 0 ]] || complain "hits of one peer are missing at the other"
[[ $matched -ge $((4 * seconds - 2)) ]] || complain "$matched hits of both peers instead of $((4 * seconds))"
frames=$(awk -v us="$difference" 'BEGIN {printf "%.1f", us * 0.048}')
echo "difference of $matched hits: p99=$difference us, $frames frames"
verdict=fail
[[ $failed == 0 ]] && at_most "$difference" "$limit" && verdict=pass
result "$verdict" "${difference}us" "${limit}us"
