#!/usr/bin/env bash
# reconnect.sh [NETWORK]
#
# How soon are two peers in session again after a failure? There are two hosts on the network still (default), lan, wifi or
# poor. The peer ada connects to the peer ben. One after the other: the cable is cut for 0.5, 3, 20 and 70 s; ben is killed
# and started again; ada is killed and started again; the address of ben changes; the address of ada changes.
#
# Expected: within 2 s after the cable is restored, the program is ready or the address has changed, each peer has the other
# in session and has recognised it as a Tutti peer. At the end there is one session between them, and both peers leave with
# status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-still}
limit=2000
hosts 2 "$network"

start_ben() {
  host=2 peer ben --audio none
  ben=$!
}
start_ada() {
  host=1 peer ada --audio none --connect 10.99.0.2:5004
  ada=$!
}
# kill_program PID: kills the peer that the wrappers of `on` started.
kill_program() {
  pkill -KILL -P "$1" || kill -KILL "$1"
  wait "$1" 2>/dev/null || true
}

start_ben
ready ben
start_ada
ready ada
reconnected "first connection" 1 1 "$(milliseconds)"

for seconds in 0.5 3 20 70; do
  joined_ada=$(events ada joined) joined_ben=$(events ben joined)
  ip link set port2 down
  sleep "$seconds"
  ip link set port2 up
  since=$(milliseconds)
  # A short cut does not end the session. Then the peers must receive datagrams again.
  await 30 "datagrams at ben" receiving ben || complain "ben receives nothing"
  # A cut of 20 or 70 s ends the session, so both peers join once more. (0.5 is not an integer: the comparison fails.)
  ((seconds > 1)) 2>/dev/null && [[ $seconds != 3 ]] && { joined_ada=$((joined_ada + 1)); joined_ben=$((joined_ben + 1)); }
  reconnected "cable cut for $seconds s" "$joined_ada" "$joined_ben" "$since"
  sleep 3
done

joined_ada=$(events ada joined)
kill_program "$ben"
mv "$results/ben.json" "$results/ben-1.json"
start_ben
ready ben
reconnected "ben started again" $((joined_ada + 1)) 1 "$(milliseconds)"
sleep 3

joined_ben=$(events ben joined)
kill_program "$ada"
mv "$results/ada.json" "$results/ada-1.json"
start_ada
ready ada
reconnected "ada started again" 1 $((joined_ben + 1)) "$(milliseconds)"
sleep 3

joined_ada=$(events ada joined) joined_ben=$(events ben joined)
ip -n host2 address add 10.99.0.12/24 dev net2
ip -n host2 address del 10.99.0.2/24 dev net2
# Deleting the primary address of a subnet also deletes its secondary addresses.
ip -n host2 address replace 10.99.0.12/24 dev net2
reconnected "address of ben changed" $((joined_ada + 1)) $((joined_ben + 1)) "$(milliseconds)"
sleep 3

joined_ada=$(events ada joined) joined_ben=$(events ben joined)
ip -n host1 address add 10.99.0.11/24 dev net1
ip -n host1 address del 10.99.0.1/24 dev net1
ip -n host1 address replace 10.99.0.11/24 dev net1
reconnected "address of ada changed" $((joined_ada + 1)) $((joined_ben + 1)) "$(milliseconds)"
sleep 8

together 1 1 || complain "not exactly one session on each side at the end"
pkill -TERM -x tutti || true
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${slowest}ms" "${limit}ms"
