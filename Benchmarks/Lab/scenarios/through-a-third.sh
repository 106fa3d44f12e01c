#!/usr/bin/env bash
# through-a-third.sh [NETWORK]
#
# Do two peers play together that reach each other only through a third one? There are three hosts on the network still, lan (default),
# wifi or poor. ada and ben connect to thea, and neither host has a route to the other one. ada starts the rhythm after 10 s. Its
# tempo changes after 25 s. After 40 s, the process of thea is killed.
#
# Expected: ada and ben print the line about the peer that they reach only through thea. No tick is missing at ben, and its offset from ada is
# always within 1 ms. After the end of thea, ada plays on, and ben takes over the rhythm. Both end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-lan} seconds=55
hosts 3 "$network"
ip -n host1 route add blackhole 10.99.0.2
ip -n host2 route add blackhole 10.99.0.1

# commands: what the player of ada does.
commands() {
  sleep 10
  echo start
  sleep 15
  echo tempo 97
  sleep $((seconds - 25))
}
# line NAME OTHER: the line of the peer NAME about the peer OTHER.
line() { grep -q "You reach $2 only through thea. If thea leaves, you and $2 part." "$results/$1.log"; }

host=3 peer thea --audio none
ready thea
host=2 peer ben --audio none --connect 10.99.0.3 --duration $((seconds + 5))
ben=$!
XDG_STATE_HOME=$scratch/ada on 1 "$TUTTI" peer --name ada --discovery off --json --trace "$results/ada.trace" --audio none \
  --connect 10.99.0.3 --duration $((seconds + 5)) < <(commands) >"$results/ada.json" 2>"$results/ada.log" &
ada=$!
phase "with thea"
await 9 "the line of ada" line ada ben || complain "ada does not print the line about ben"
await 9 "the line of ben" line ben ada || complain "ben does not print the line about ada"
await 20 "the start" grep -q '"role":"follower"' "$results/ben.json"
sleep 30
phase "without thea"
pkill --signal KILL --full "peer --name thea "
await 5 "ben to take over" grep -q '"took_over"' "$results/ben.json" || complain "ben does not take over"
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"
[[ $(grep -c '"role":"idle"' "$results/ada.json") -le 1 ]] || complain "the rhythm of ada was interrupted"

in_step 1000
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${worst}us" 1000us
