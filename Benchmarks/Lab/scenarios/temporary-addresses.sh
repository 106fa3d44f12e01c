#!/usr/bin/env bash
# temporary-addresses.sh [NETWORK]
#
# Does a session last if the hosts replace their temporary IPv6 addresses (RFC 8981)? There are two hosts on the network still,
# lan (default), wifi or poor, each with a stable and a temporary address. A host sends from the temporary one. ada is the
# master and connects to the stable address of ben. During play, first ben and then ada gets a new temporary address, and the
# previous one becomes deprecated.
#
# Expected: the first session lasts until the end. No tick is missing at either peer, and the offset between them is always
# within 1 ms. Both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-lan} seconds=30 limit=2000
hosts 2 "$network"
# A host prefers the address that is not deprecated as source (RFC 6724, rule 3).
for n in 1 2; do
  ip -n "host$n" -6 address add "fd00:99::$n/64" dev "net$n" nodad preferred_lft 0
  ip -n "host$n" -6 address add "fd00:99::a$n/64" dev "net$n" nodad
done
# renew N: gives host N a new temporary address.
renew() {
  ip -n "host$1" -6 address change "fd00:99::a$1/64" dev "net$1" preferred_lft 0
  ip -n "host$1" -6 address add "fd00:99::b$1/64" dev "net$1" nodad
}

host=2 peer ben --audio none --duration $((seconds + 20))
ben=$!
ready ben
phase undisturbed
since=$(milliseconds)
host=1 peer ada --audio none --connect "[fd00:99::2]:5004" --start --bpm 120 --duration "$seconds"
ada=$!
reconnected "by the stable address of ben" 1 1 "$since"
sleep 8
phase "new temporary address of ben"
renew 2
sleep 8
phase "new temporary address of ada"
renew 1
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

in_step 1000 $((seconds * 48))
for name in ada ben; do [[ $(events "$name" joined) == 1 ]] || complain "the session of $name did not last"; done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${worst}us" 1000us
