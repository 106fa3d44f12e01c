#!/usr/bin/env bash
# quantized-notes.sh [NETWORK] [NOTES]
#
# Do the quantized notes of a player sound on the same line of the grid, on the same frame, at all other peers? There are three hosts
# with their own clocks on the network still, lan (default), wifi or poor. The player, Ada, is the master and has an instrument with a
# grid of sixteenth notes at 120 BPM (125 ms). NOTES (60) actions arrive at its ALSA port, 1.34 s apart and at all places between two
# lines. Two followers hear Ada. They play to linked substreams of the loopback card, which are recorded.
#
# Expected: each note sounds once at both followers, on the same line, which is the first line that the note can reach in time: at
# least 50 ms (the time for the sound card) after the action, and less than 50 ms, the 99th percentile of the network delay and one
# line after it. On wifi and poor, one note in thirty may be on different lines or missing, because its packet was lost. The first
# frames are within 0.5 ms (24 frames) of the line. The p99 of the difference between the followers, which contains the errors of
# their clocks, is at most 0.5 ms.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan} notes=${2:-60}
limit=500
tools linkcap notes
hosts 3 "$network"
seconds=$((notes * 134 / 100 + 12))

linkcap "$((seconds + 40))" "$results/peer" hw:Loopback,1,0 hw:Loopback,1,1 >"$results/linkcap.txt" &
recorder=$!
host=2 peer ben --audio alsa:hw:Loopback,0,0 --hear ada=100 --duration "$((seconds + 25))"
ready ben
host=3 peer cas --audio alsa:hw:Loopback,0,1 --hear ada=100 --duration "$((seconds + 25))"
ready cas
host=1 peer ada --patch "$lab/silent.yaml" --instrument "$lab/block.yaml" --midi --audio none --start --bpm 120 \
  --connect 10.99.0.2:5004 --connect 10.99.0.3:5004 --duration "$seconds"
player=$!
ready ada
# The peers measure the delay of the network.
sleep 8
notes ada:in "$notes" 9 >"$results/actions.txt"
wait "$player"
wait "$recorder"
wait

first=$(awk '$1 == "frame" {print $3}' "$results/linkcap.txt")
lines.py "$results/actions.txt" "$results/ada.trace" "${ahead[1]}" "$first" \
  "$results/peer0.wav" "$results/ben.trace" "${ahead[2]}" "$results/peer1.wav" "$results/cas.trace" "${ahead[3]}" |
  tee "$results/lines.txt"

lost=0 delay=5
[[ $network != wifi && $network != poor ]] || { lost=$((notes / 30)) delay=50; }
for peer in peer0 peer1; do
  at_most "$(grep "^$peer" "$results/lines.txt" | figure max)" 24 || complain "notes of $peer are not on their line"
  [[ $(grep "^$peer" "$results/lines.txt" | figure repeated) == 0 ]] || complain "notes of $peer sound twice on a line"
done
count=$(grep '^notes=' "$results/lines.txt")
at_most "$(figure different <<<"$count")" "$lost" || complain "notes are not on the same line"
at_most "$((notes - $(figure everywhere <<<"$count")))" "$lost" || complain "notes are missing"
waits=$(grep '^from the action' "$results/lines.txt")
at_most 50 "$(figure min <<<"$waits")" || complain "a line is less than 50 ms after its action"
at_most "$(figure max <<<"$waits")" "$((50 + 125 + delay))" || complain "a note is not on the first line that it can reach"
difference=$(grep '^difference' "$results/lines.txt" | figure p99)
verdict=fail
[[ $failures == 0 ]] && at_most "$difference" "$limit" && verdict=pass
result "$verdict" "${difference}us" "${limit}us"
