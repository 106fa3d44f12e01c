#!/usr/bin/env bash
# two-interfaces.sh [NETWORK]
#
# Does the music continue if a host with two network interfaces loses one of them? There are two hosts on the network still,
# lan (default), wifi or poor. Each has two interfaces in the same subnet, like a laptop with a cable and Wi-Fi. ada is the
# master and connects to the second address of ben, although the host of ben sends from the first one by its routing table.
# One after the other: the second interface of ben is disconnected and connected again, then the first interface of ben, then
# the first interface of ada. The network manager removes the address of a disconnected interface a second later.
#
# Expected: the peers get a session by the second address. Within 2 s after an address is removed, they have a new session. No
# tick is missing at either peer, and the offset between them is always within 1 ms. Both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-lan} seconds=60 limit=2000
hosts 2 "$network"
for n in 1 2; do
  ip link add "second_port$n" type veth peer name "second$n"
  ip link set "second_port$n" master lab0 up
  ip link set "second$n" netns "host$n"
  ip -n "host$n" address add "10.99.0.1$n/24" dev "second$n"
  ip -n "host$n" link set "second$n" up
  # shellcheck disable=SC2046 # several parameters
  tc -n "host$n" qdisc add dev "second$n" root netem $(netem "$network")
done

# disconnect N PORT DEVICE: takes the carrier from an interface of host N, and removes its address a second later.
disconnect() {
  ip link set "$2" down
  sleep 1
  ip -n "host$1" address flush dev "$3"
}
# connect N PORT DEVICE ADDRESS: reverts `disconnect`.
connect() {
  ip -n "host$1" address add "$4/24" dev "$3"
  ip link set "$2" up
}

host=2 peer ben --audio none --duration $((seconds + 20))
ben=$!
ready ben
phase undisturbed
since=$(milliseconds)
host=1 peer ada --audio none --connect 10.99.0.12:5004 --start --bpm 120 --duration "$seconds"
ada=$!
reconnected "by the second address of ben" 1 1 "$since"
sleep 10
rejoined "second interface of ben disconnected" disconnect 2 second_port2 second2
sleep 8
phase "second interface of ben connected"
connect 2 second_port2 second2 10.99.0.12
sleep 5
rejoined "first interface of ben disconnected" disconnect 2 port2 net2
sleep 8
phase "first interface of ben connected"
connect 2 port2 net2 10.99.0.2
sleep 5
rejoined "first interface of ada disconnected" disconnect 1 port1 net1
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

in_step 1000 $((seconds * 48))
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${slowest}ms,${worst}us" "${limit}ms,1000us"
