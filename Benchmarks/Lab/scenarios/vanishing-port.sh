#!/usr/bin/env bash
# vanishing-port.sh
#
# Does a peer survive the programs at its ports? clockgen provides the clock. clockgen is killed and started again twice:
# first it continues at bar 5, then it starts at the beginning. A second peer follows over loopback. aseqdump is connected
# by hand to the clock port of the first peer, and is killed and started again while the rhythm plays.
#
# Expected: while clockgen is missing, the rhythm continues; no tick is lost or duplicate, and no tick is longer than 25 ms (a
# tick lasts 20.8 ms). Each program is connected again within 2 s after its start. The peer reports each time once that the
# port is gone and that it is back. The peers follow clockgen again: each of its ticks occurs once at both peers, within a
# quarter note of Start or Continue. aseqdump receives Song Position and Continue directly before a bar.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools clockgen

# logged TIMES WORDS: whether the log of ada contains WORDS this number of times.
logged() { [[ $(grep -cF "$2" "$results/ada.log" || true) == "$1" ]]; }

# reconnected TIMES NAME SINCE: waits until ada has logged this number of times that the port is back.
reconnected() {
  local took
  if await 10 "$2 connected again" logged "$1" "MIDI port $2: connected again"; then
    took=$(($(milliseconds) - $3))
    echo "$2: connected again after $took ms"
    [[ $took -le 2000 ]] || complain "more than 2000 ms"
  else
    complain "$2 was not connected again"
  fi
}

# start_clock N OPTION...: runs clockgen in the background. Its output goes to $results/truth-N.txt, line by line, because
# clockgen may be killed.
start_clock() {
  local n=$1
  shift
  stdbuf -oL clockgen 120 "$@" >"$results/truth-$n.txt" &
  generator=$!
}

# kill_process PROCESS: kills the process without giving it time to clean up.
kill_process() {
  kill -KILL "$1"
  wait "$1" 2>/dev/null || true
}

start_clock 1 600
await 10 "port clockgen:out" address clockgen out
peer ben --audio none --port 6004 --duration 75
ready ben
peer ada --midi --clock-from clockgen --audio none --port 5004 --connect 127.0.0.1:6004 --duration 65
await 20 "the rhythm" grep -q '^this peer is the master$' "$results/ada.log"

aseqdump >/dev/null &
listener=$!
await 10 "port aseqdump" address aseqdump aseqdump
aconnect "$(address ada clock)" "$(address aseqdump aseqdump)"
sleep 1
kill_process "$listener"
sleep 1
since=$(milliseconds)
aseqdump >"$scratch/seen" &
listener=$!
reconnected 1 aseqdump "$since"
# Long enough for a bar and the messages before it.
sleep 4
kill "$listener"
wait "$listener" || true

n=1
for arguments in "8 --continue 64" 8; do
  kill_process "$generator"
  sleep 3
  since=$(milliseconds)
  # shellcheck disable=SC2086 # several words
  start_clock "$((n += 1))" $arguments
  reconnected "$((n - 1))" "clockgen out" "$since"
  # clockgen begins to send five seconds later. The rhythm continues.
  if [[ $n == 2 ]]; then sleep 12; else wait "$generator"; fi
done
wait

for n in 1 2 3; do
  report=$(follow.py --run "$n/3" "$results/truth-$n.txt" "$results/ada.trace" "$results/ben.trace") ||
    complain "ticks of clock $n"
  echo "clock $n:"
  echo "$report"
  while read -r longest; do at_most "$longest" 25 || complain "a tick of $longest ms"; done < <(
    sed -n 's/.*\blongest=\([^ ]*\).*/\1/p' <<<"$report")
done
# The ports are gone once more than they are back, because the programs end before the peer.
for name in aseqdump:1 "clockgen out:2"; do
  logged "$((${name#*:} + 1))" "MIDI port ${name%:*}: disappeared" || complain "${name%:*}: not logged once each time that it is gone"
  logged "${name#*:}" "MIDI port ${name%:*}: connected again" || complain "${name%:*}: not logged once each time that it is back"
done

# The ticks that aseqdump receives until the bar, then one Song Position, and the bar.
received=$(awk '
  /Clock/ {ticks++; if (state == "positioned") {state = "continued"; bar = ticks}}
  /Song position/ {places++; position = $NF; before = ticks + 0}
  /Continue/ {if (places == 1 && before == ticks + 0) state = "positioned"}
  END {printf "ticks=%d until=%d places=%d position=%s state=%s", ticks, before, places, position, state}' "$scratch/seen")
cp "$scratch/seen" "$results/aseqdump.txt"
echo "aseqdump: $received"
position=$(figure position <<<"$received")
[[ $(figure places <<<"$received") == 1 && $(figure state <<<"$received") == continued && $((position % 16)) == 0 ]] ||
  complain "aseqdump did not receive its position before a bar"
# A bar has 96 ticks.
at_most "$(figure until <<<"$received")" 96 || complain "aseqdump received its position after more than a bar"
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${failures}_not_as_expected" 0
