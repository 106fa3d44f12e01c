#!/usr/bin/env bash
# score.sh [NETWORK]
#
# Do four peers play a score together? There are four hosts on the network still, lan (default), wifi or poor. ada has the score of
# writescore.py, with a pick-up, changes of the metre, a repeat and ritardandi. ben and cleo are in session when ada starts it. dora joins
# after 8 s. After 25 s, the process of ada is killed, and another peer leads the score to its end.
#
# Expected: each onset is at most one frame of 48 kHz from its due time and, on still and lan, from the same onset at every other peer; on wifi
# and poor four frames. No onset is missing at a peer between its first and its last one. All peers stop with the score.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan}
limit=1
[[ $network == still || $network == lan ]] || limit=4
hosts 4 "$network"
writescore.py "$scratch/clicks.musicxml"

# commands: what the player of ada does.
commands() {
  sleep 4
  echo start
  sleep 60
}

host=2 peer ben --audio "wav:$scratch/ben.wav" --duration 90
ready ben
host=3 peer cleo --audio "wav:$scratch/cleo.wav" --connect 10.99.0.2 --duration 90
XDG_STATE_HOME=$scratch/ada on 1 "$TUTTI" peer --name ada --discovery off --json --trace "$results/ada.trace" --audio "wav:$scratch/ada.wav" \
  --connect 10.99.0.2 --connect 10.99.0.3 --score "$scratch/clicks.musicxml" --duration 90 < <(commands) \
  >"$results/ada.json" 2>"$results/ada.log" &
await 20 "the start" grep -q '"role":"follower"' "$results/cleo.json"
sleep 8
host=4 peer dora --audio "wav:$scratch/dora.wav" --connect 10.99.0.1 --connect 10.99.0.2 --connect 10.99.0.3 --duration 90
await 10 "dora to follow" grep -q '"role":"follower"' "$results/dora.json"
sleep 17
pkill --signal KILL --full "peer --name ada "
await 5 "another master" grep -q '"took_over"' "$results/ben.json" "$results/cleo.json" "$results/dora.json" ||
  complain "no peer takes over"
for name in ben cleo dora; do
  await 60 "the end of the score at $name" grep -q '"role":"idle"' "$results/$name.json" || complain "$name does not stop with the score"
done
pkill --signal TERM --full "tutti peer" || true
sleep 2
report=$(scorehits.py "$results/ada.trace" "${ahead[1]}" "$results/ben.trace" "${ahead[2]}" "$results/cleo.trace" "${ahead[3]}" \
  "$results/dora.trace" "${ahead[4]}")
echo "$report"
[[ $(figure single <<<"$report") == 0 ]] || complain "an onset is missing at a peer"
counts=$(figure counts <<<"$report")
for count in ${counts//,/ }; do [[ $count -gt 50 ]] || complain "a peer has only $count onsets"; done
at_most "$(figure own <<<"$report")" 1 || complain "an onset is more than a frame from its due time"
verdict=fail
[[ $failures == 0 ]] && at_most "$(figure between <<<"$report")" "$limit" && verdict=pass
result "$verdict" "$(figure between <<<"$report")frames" "${limit}frames"
