#!/usr/bin/env bash
# vanishing-port.sh
#
# Does a peer outlive the programs at its ports? clockgen gives it the clock, and is killed and started again twice:
# once it goes on at bar 5, once it starts anew. A second peer follows over loopback. aseqdump, connected by hand to the
# clock port of the first, is killed and started again while the rhythm plays.
#
# Expected: while clockgen is away the rhythm goes on, no tick lost or doubled, none longer than 25 ms (a tick lasts
# 20.8). Each program is connected again within 2 s of its start, and the peer says once each time that it is gone and
# that it is back. What clockgen says then is done: each of its ticks comes once at both peers, within a quarter note of
# Start or Continue. aseqdump is told its place, Song Position and Continue, right before a bar.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools clockgen
wrong=0

# complain WHAT: something expected did not come true.
complain() { echo "not as expected: $1"; wrong=$((wrong + 1)); }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# said TIMES WORDS: whether ada has said so, so often.
said() { [[ $(grep -cF "$2" "$results/ada.log" || true) == "$1" ]]; }

# back TIMES NAME SINCE: waits until ada says that the port is back, for the so manieth time.
back() {
  local took
  if await 10 "$2 connected again" said "$1" "MIDI port $2 is back"; then
    took=$(($(milliseconds) - $3))
    echo "$2: connected again after $took ms"
    [[ $took -le 2000 ]] || complain "it took more than 2000 ms"
  else
    complain "$2 was not connected again"
  fi
}

# give N OPTION...: clockgen in the background; what it gives goes to $results/truth-N.txt, line by line, for it may be
# killed.
give() {
  local n=$1
  shift
  stdbuf -oL clockgen 120 "$@" >"$results/truth-$n.txt" &
  generator=$!
}

# vanish PROCESS: without a word of farewell.
vanish() {
  kill -KILL "$1"
  wait "$1" 2>/dev/null || true
}

give 1 600
await 10 "port clockgen:out" address clockgen out
peer ben --audio none --port 6004 --duration 75
ready ben
peer ada --midi --clock-from clockgen --audio none --port 5004 --connect 127.0.0.1:6004 --duration 65
await 20 "the rhythm" grep -q '^master' "$results/ada.log"

aseqdump >/dev/null &
listener=$!
await 10 "port aseqdump" address aseqdump aseqdump
aconnect "$(address ada clock)" "$(address aseqdump aseqdump)"
sleep 1
vanish "$listener"
sleep 1
since=$(milliseconds)
aseqdump >"$scratch/seen" &
listener=$!
back 1 aseqdump "$since"
# A bar, and what is said before it.
sleep 4
kill "$listener"
wait "$listener" || true

n=1
for turn in "8 --continue 64" 8; do
  vanish "$generator"
  sleep 3
  since=$(milliseconds)
  # shellcheck disable=SC2086 # words
  give "$((n += 1))" $turn
  back "$((n - 1))" "clockgen out" "$since"
  # Five seconds from then on it gives the clock, while the rhythm goes on.
  if [[ $n == 2 ]]; then sleep 12; else wait "$generator"; fi
done
wait

for n in 1 2 3; do
  report=$(follow.py --run "$n/3" "$results/truth-$n.txt" "$results/ada.trace" "$results/ben.trace") ||
    complain "ticks of clockgen's turn $n"
  echo "turn $n:"
  echo "$report"
  while read -r longest; do at_most "$longest" 25 || complain "a tick of $longest ms"; done < <(
    sed -n 's/.*\blongest=\([^ ]*\).*/\1/p' <<<"$report")
done
# Once more than they were back, for they end before the peer does.
for name in aseqdump:1 "clockgen out:2"; do
  said "$((${name#*:} + 1))" "MIDI port ${name%:*} is gone" || complain "${name%:*}: not said once each time to be gone"
  said "${name#*:}" "MIDI port ${name%:*} is back" || complain "${name%:*}: not said once each time to be back"
done

# Ticks that it hears until the bar, then its place, once, and the bar.
told=$(awk '
  /Clock/ {ticks++; if (went == "told") {went = "on"; bar = ticks}}
  /Song position/ {places++; position = $NF; before = ticks + 0}
  /Continue/ {if (places == 1 && before == ticks + 0) went = "told"}
  END {printf "ticks=%d until=%d places=%d position=%s went=%s", ticks, before, places, position, went}' "$scratch/seen")
cp "$scratch/seen" "$results/aseqdump.txt"
echo "aseqdump: $told"
position=$(figure position <<<"$told")
[[ $(figure places <<<"$told") == 1 && $(figure went <<<"$told") == on && $((position % 16)) == 0 ]] ||
  complain "aseqdump was not told its place before a bar"
at_most "$(figure until <<<"$told")" 96 || complain "it took more than a bar to tell it"
verdict=fail
[[ $wrong == 0 ]] && verdict=pass
result "$verdict" "${wrong}_not_as_expected" 0
