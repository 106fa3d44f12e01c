# Two peers, ada on host 1 and ben on host 2, whose session a scenario interrupts. Sourced by scenarios after scenario.sh and
# network.sh. The scenario sets `limit`, the longest time in milliseconds until the peers are in session again.
slowest=0

# milliseconds: the time of the clock that the peers use, with a resolution of 10 ms, without starting a program.
milliseconds() {
  local up
  read -r up _ </proc/uptime
  echo $((10#${up/./} * 10))
}
# phase LABEL...: records the beginning of a phase for phases.py.
phase() {
  local up
  read -r up _ </proc/uptime
  echo "$up $*" >>"$results/phases.txt"
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

# rejoined WHAT COMMAND...: runs the command, which ends the session, and waits until both peers have a new one.
rejoined() {
  local what=$1 ada ben
  shift
  ada=$(events ada joined) ben=$(events ben joined)
  phase "$what"
  "$@"
  reconnected "$what" $((ada + 1)) $((ben + 1)) "$(milliseconds)"
}

# in_step LIMIT [TICKS]: checks the traces of both peers: the offset in every phase is at most LIMIT microseconds, and no tick
# is missing. If TICKS is given, each peer must have played TICKS ticks. Sets `worst`.
in_step() {
  local name ticks
  phases.py "$results/phases.txt" "$results/ada" "${ahead[1]}" "$results/ben" "${ahead[2]}" | tee "$results/phase-offsets.txt"
  worst=$(figure worst <"$results/phase-offsets.txt")
  at_most "$worst" "$1" || complain "an offset of more than $1 us"
  [[ $(figure missing <"$results/phase-offsets.txt") == 0 ]] || complain "ticks missing at one of the peers"
  for name in ada ben; do
    ticks=$(grep -c '^{"tick"' "$results/$name.trace" || true)
    ((ticks == ${2:-ticks})) || complain "$name played $ticks ticks, not $2"
    echo "messages of $name: $(paste -sd '|' "$results/$name.log")"
  done
}
