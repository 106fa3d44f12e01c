#!/usr/bin/env bash
# two-peers.sh [NETWORK] [SECONDS] [stress]
#
# Do two peers sound together? Two hosts, each with a clock of its own, on the network still, lan (default), wifi or
# poor; each plays sticks.yaml at 120 BPM for SECONDS (60) into a substream of the loopback card, and one program
# records both, the streams linked.
#
# Expected: the same hit differs by at most 0.5 ms at p99; the master's hits lie on their grid, 12 000 frames apart,
# within 1 frame. All that was due is heard of both, four hits a second, two at the ends aside; by neither one's own
# account was a hit late or dropped or the card lost; both end with status 0, and the recorder outlives the master. How
# well the follower keeps to that grid of its own is told: it is the difference without its mean.
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

# complain WHAT: something expected did not come true.
off=0
complain() { echo "not as expected: $1"; off=1; }
for n in 1 2; do
  name=$([[ $n == 1 ]] && echo ada || echo ben)
  report=$(hits.py "$results/peer$((n - 1)).wav" 12000 "$first" "$results/$name.trace" "${ahead[n]}")
  echo "$name, $report"
  [[ $(figure missing <<<"$report")$(figure doubled <<<"$report")$(figure unheard <<<"$report") == 000 ]] ||
    complain "$name's hits missing, doubled or unheard"
  [[ $n == 2 ]] || at_most "$(figure max <<<"$report")" 1 || complain "$name's hits off their grid"
  for count in late_hits dropped_hits card_losses; do
    [[ $(pick "$results/$name.json" "$count") == 0 ]] || complain "$count of $name not 0"
  done
done
"$TUTTI" measure audio --json "$results/peer0.wav" "$results/peer1.wav" >"$results/audio.json"
difference=$(pick "$results/audio.json" comparisons.0.magnitude.p99_us)
matched=$(pick "$results/audio.json" comparisons.0.matched)
[[ $(pick "$results/audio.json" comparisons.0.missing) == 0 ]] || complain "hits of one without the other's"
[[ $matched -ge $((4 * seconds - 2)) ]] || complain "$matched hits of both, of $((4 * seconds))"
frames=$(awk -v us="$difference" 'BEGIN {printf "%.1f", us * 0.048}')
echo "difference of $matched hits: p99=$difference us, $frames frames"
verdict=fail
[[ $off == 0 ]] && at_most "$difference" "$limit" && verdict=pass
result "$verdict" "${difference}us" "${limit}us"
