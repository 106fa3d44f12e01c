#!/usr/bin/env bash
# score-transfer.sh [NETWORK]
#
# How soon does a score of 2816 notes, about 40 kB, reach 16 peers? There are 17 hosts on the network still, lan (default), wifi, poor or
# lossy: wifi with a loss of 3 %. ada leads a rhythm, the others follow. Then its player chooses a score. The time counts from the command
# until the last peer has the score. All peers run on one processor, so give the lab --timeout 3000.
#
# Expected: at most 3 s on still and lan, 6 s otherwise.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan}
limit=6
[[ $network != still && $network != lan ]] || limit=3
if [[ $network == lossy ]]; then
  hosts 17 wifi
  for n in $(seq 17); do tc -n "host$n" qdisc replace dev "net$n" root netem delay 5ms 1ms distribution normal loss 3%; done
else
  hosts 17 "$network"
fi
writescore.py "$scratch/long.musicxml" 6500
cp "$scratch/long.musicxml" "$results"

# commands: what the player of ada does. The file `chosen` tells when the score is chosen.
commands() {
  until [[ -e $scratch/choose ]]; do sleep 0.2; done
  echo "score $scratch/long.musicxml"
  sleep 60
}

XDG_STATE_HOME=$scratch/ada on 1 "$TUTTI" peer --name ada --discovery off --json --audio none --start --bpm 120 < <(commands) \
  >"$results/ada.json" 2>"$results/ada.log" &
await 20 "ada" grep -q '"event":"ready"' "$results/ada.json"
for n in $(seq 2 17); do host=$n peer "p$n" --audio none --connect 10.99.0.1; done
followers() { (( $(grep -l '"role":"follower"' "$results"/p*.json | wc -l) == 16 )); }
await 60 "16 followers" followers
sleep 5
received() { (( $(grep -l 'received from' "$results"/p*.log | wc -l) == 16 )); }
begin=$EPOCHREALTIME
touch "$scratch/choose"
await 30 "the score at all peers" grep -q 'long.musicxml' "$results/ada.log"
await 30 "the score at all peers" received || complain "$(grep -L 'received from' "$results"/p*.log | wc -l) peers have no score"
seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.2f", b - a}')
pkill --signal TERM --full "tutti peer" || true
sleep 2
verdict=fail
[[ $failures == 0 ]] && at_most "$seconds" "$limit" && verdict=pass
result "$verdict" "${seconds}s" "${limit}s"
