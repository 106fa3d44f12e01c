#!/usr/bin/env bash
# dhcp-renewal.sh [NETWORK]
#
# Does the music continue if a host gets a new address, as after the renewal of a DHCP lease? There are two hosts on the
# network still, lan (default), wifi or poor. ada is the master and connects to ben. During play, first the address of ben
# changes, then the address of ada.
#
# Expected: within 2 s after each change, the peers have a new session. Each peer reports each change once. No tick is missing
# at either peer, and the offset between them is always within 1 ms. Both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-lan} seconds=45 limit=2000
hosts 2 "$network"

# renew N ADDRESS: replaces the address of host N.
renew() {
  ip -n "host$1" address flush dev "net$1"
  ip -n "host$1" address add "$2/24" dev "net$1"
}

host=2 peer ben --audio none --duration $((seconds + 20))
ben=$!
ready ben
phase undisturbed
host=1 peer ada --audio none --connect 10.99.0.2:5004 --start --bpm 120 --duration "$seconds"
ada=$!
await 20 "the first session" together 1 1
sleep 10
rejoined "new address of ben" renew 2 10.99.0.12
sleep 10
rejoined "new address of ada" renew 1 10.99.0.11
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

in_step 1000 $((seconds * 48))
# The first session, two changes, and the end of the rhythm.
for name in ada ben; do
  reports=$(grep -c ' joined$' "$results/$name.log" || true),$(grep -c ' left$' "$results/$name.log" || true)
  [[ $reports == 3,3 ]] || complain "$name reported joined,left $reports times"
  ! grep 'clock' "$results/$name.log" || complain "$name reported more than the changes"
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${slowest}ms,${worst}us" "${limit}ms,1000us"
