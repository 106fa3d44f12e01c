#!/usr/bin/env bash
# reconnect.sh [NETWORK]
#
# How soon are two peers together again? Two hosts on the network still (default), lan, wifi or poor, ben listening, ada
# connecting to him. In turn: the cable is pulled for 0.5, 3, 20 and 70 s; ben's program is killed and started again;
# ada's is; ben's address changes; ada's does.
#
# Expected: within 2 s of the cable's being back, of the program's being ready and of the address's being new, each has
# the other in session, and knows it for a Tutti peer; at the end there is one session between them, and both leave
# with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-still}
limit=2000
hosts 2 "$network"
slowest=0 wrong=0

complain() { echo "not as expected: $1"; wrong=$((wrong + 1)); }
# milliseconds: now, by the clock of the peers' stamps, to a hundredth of a second, without starting a program.
milliseconds() {
  local up
  read -r up _ </proc/uptime
  echo $((10#${up/./} * 10))
}
# latest_joining: when, by the same clock, the two had joined.
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
# events NAME KIND: how many there were so far.
events() { grep -c "\"event\":\"$2\"" "$results/$1.json" || true; }
# sessions NAME: how many it has, by its events.
sessions() { echo $(($(events "$1" joined) - $(events "$1" left))); }
# together JOINED_ADA JOINED_BEN: whether both have a session, ada and ben having joined so many times.
together() {
  [[ $(sessions ada) == 1 && $(sessions ben) == 1 && $(events ada joined) -ge $1 && $(events ben joined) -ge $2 ]]
}

# heard NAME: whether it hears the other now: its probes are answered.
heard() {
  local before
  before=$(received "$1")
  sleep 0.3
  [[ $(received "$1") -gt $((before + 2)) ]]
}
# received NAME: datagrams that have come to its host.
received() { ip netns exec "host$([[ $1 == ada ]] && echo 1 || echo 2)" awk '/^Udp: [0-9]/ {print $2}' /proc/net/snmp; }

# back WHAT ADA BEN SINCE: waits until they are together, says how long it took: until the later one's joining, by its
# own account, or, where no session had to be begun, until now.
back() {
  local took now
  if await 30 "$1" together "$2" "$3"; then
    now=$(milliseconds)
    took=$(($(latest_joining) - $4))
    ((took > 0)) || took=$((now - $4))
    echo "$1: together again after $took ms"
    ((took <= slowest)) || slowest=$took
    ((took <= limit)) || complain "$1: more than $limit ms"
  else
    complain "$1: not together again"
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
# kill_program PID: the peer behind the wrappers of `on`.
kill_program() {
  pkill -KILL -P "$1" || kill -KILL "$1"
  wait "$1" 2>/dev/null || true
}

start_ben
ready ben
start_ada
ready ada
back "the first time" 1 1 "$(milliseconds)"

for seconds in 0.5 3 20 70; do
  joined_ada=$(events ada joined) joined_ben=$(events ben joined)
  ip link set port2 down
  sleep "$seconds"
  ip link set port2 up
  since=$(milliseconds)
  # A short cut ends no session: then they have to hear each other again.
  await 30 "hearing again" heard ben || complain "ben hears nothing"
  ((seconds > 1)) 2>/dev/null && [[ $seconds != 3 ]] && { joined_ada=$((joined_ada + 1)); joined_ben=$((joined_ben + 1)); }
  back "the cable pulled for $seconds s" "$joined_ada" "$joined_ben" "$since"
  sleep 3
done

joined_ada=$(events ada joined)
kill_program "$ben"
mv "$results/ben.json" "$results/ben-1.json"
start_ben
ready ben
back "ben's program started again" $((joined_ada + 1)) 1 "$(milliseconds)"
sleep 3

joined_ben=$(events ben joined)
kill_program "$ada"
mv "$results/ada.json" "$results/ada-1.json"
start_ada
ready ada
back "ada's program started again" 1 $((joined_ben + 1)) "$(milliseconds)"
sleep 3

joined_ada=$(events ada joined) joined_ben=$(events ben joined)
ip -n host2 address add 10.99.0.12/24 dev net2
ip -n host2 address del 10.99.0.2/24 dev net2
# The last address of a subnet takes its secondaries with it.
ip -n host2 address replace 10.99.0.12/24 dev net2
back "ben's address changed" $((joined_ada + 1)) $((joined_ben + 1)) "$(milliseconds)"
sleep 3

joined_ada=$(events ada joined) joined_ben=$(events ben joined)
ip -n host1 address add 10.99.0.11/24 dev net1
ip -n host1 address del 10.99.0.1/24 dev net1
ip -n host1 address replace 10.99.0.11/24 dev net1
back "ada's address changed" $((joined_ada + 1)) $((joined_ben + 1)) "$(milliseconds)"
sleep 8

together 1 1 || complain "not one session on either side at the end"
pkill -TERM -x tutti || true
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"
verdict=fail
[[ $wrong == 0 ]] && verdict=pass
result "$verdict" "${slowest}ms" "${limit}ms"
