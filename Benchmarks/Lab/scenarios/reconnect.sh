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
network=${1:-still}
limit=2000
hosts 2 "$network"
slowest=0 failures=0

complain() { echo "not as expected: $1"; failures=$((failures + 1)); }
# milliseconds: the time of the clock that the peers use, with a resolution of 10 ms, without starting a program.
milliseconds() {
  local up
  read -r up _ </proc/uptime
  echo $((10#${up/./} * 10))
}
# latest_joining: the latest `joined` event of both peers, by the same clock.
latest_joining() {
  python3 - "$results/ada.json" "${ahead[1]}" "$results/ben.json" "${ahead[2]}" <<'PYTHON'
import json, sys
latest = 0
for path, ahead in zip(sys.argv[1::2], sys.argv[2::2]):
    events = [json.loads(line) for line in open(path)]
    latest = max([latest] + [e["at_ns"] // 1000000 - 1000 * int(ahead) for e in events if e.get("event") == "joined"])
print(latest)
PYTHON
}
# events NAME KIND: the number of events of this kind so far.
events() { grep -c "\"event\":\"$2\"" "$results/$1.json" || true; }
# sessions NAME: the number of sessions, from the events of the peer.
sessions() { echo $(($(events "$1" joined) - $(events "$1" left))); }
# together JOINED_ADA JOINED_BEN: whether both peers have one session and at least this number of `joined` events.
together() {
  [[ $(sessions ada) == 1 && $(sessions ben) == 1 && $(events ada joined) -ge $1 && $(events ben joined) -ge $2 ]]
}

# receiving NAME: whether the peer receives datagrams now: its clock probes are answered.
receiving() {
  local before
  before=$(received "$1")
  sleep 0.3
  [[ $(received "$1") -gt $((before + 2)) ]]
}
# received NAME: the number of datagrams that have arrived at the host of the peer.
received() { ip netns exec "host$([[ $1 == ada ]] && echo 1 || echo 2)" awk '/^Udp: [0-9]/ {print $2}' /proc/net/snmp; }

# reconnected WHAT ADA BEN SINCE: waits until both peers are in session and prints how long this took: until the later
# `joined` event or, if no new session was necessary, until now.
reconnected() {
  local took now
  if await 30 "$1" together "$2" "$3"; then
    now=$(milliseconds)
    took=$(($(latest_joining) - $4))
    ((took > 0)) || took=$((now - $4))
    echo "$1: in session again after $took ms"
    ((took <= slowest)) || slowest=$took
    ((took <= limit)) || complain "$1: more than $limit ms"
  else
    complain "$1: not in session again"
  fi
}

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
