#!/usr/bin/env bash
# system-clock.sh [NETWORK]
#
# Does the rhythm go on when the system's clock is set? Two hosts on the network still, lan (default), wifi or poor;
# ada plays, ben follows. Meanwhile CLOCK_REALTIME is stepped by an hour ahead and back, by 0.3 s, 5000 times to and fro
# by 0.3 s, 0.7 ms apart, and slewed by 500 ppm either way. The kernel stamps what it receives by that clock, and a
# stamp that is 0.3 s wrong looks possible; a slew changes the rate of CLOCK_MONOTONIC as well, for both peers alike.
#
# Expected: from one second after they met the peers are within 1 ms of each other throughout; no tick is lost, all that
# were due in the time were played; the session lasts, and both end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan}
seconds=130 limit=1000
tools stepclock
hosts 2 "$network"

# phase LABEL...: one begins now.
phase() {
  local up
  read -r up _ </proc/uptime
  echo "$up $*" >>"$results/phases.txt"
}

# Once before it counts, so that the program is in memory.
"$TUTTI" peer --name warm --audio none --discovery off --start --duration 2 </dev/null >/dev/null 2>&1

host=2 peer ben --audio none --duration $((seconds + 20))
ben=$!
ready ben
host=1 peer ada --audio none --connect 10.99.0.2:5004 --start --bpm 120 --duration "$seconds"
ada=$!
phase undisturbed
sleep 20
phase one hour ahead
stepclock step 3600
sleep 15
phase one hour back
stepclock step -3600
sleep 15
phase 0.3 s ahead
stepclock step 0.3
sleep 15
phase 0.3 s to and fro
stepclock storm 0.3 5000 0.7
sleep 10
phase slewed by +500 ppm
stepclock slew 500
sleep 20
phase slewed by -500 ppm
stepclock slew -500
sleep 20
phase left alone again
stepclock slew 0
wrong=0
complain() { echo "not as expected: $1"; wrong=1; }
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

phases.py "$results/phases.txt" "$results/ada" "${ahead[1]}" "$results/ben" "${ahead[2]}" | tee "$results/kept.txt"
worst=$(figure worst <"$results/kept.txt")
[[ $(figure missing <"$results/kept.txt") == 0 ]] || complain "ticks missing at one of the two"
for name in ada ben; do
  ticks=$(grep -c '^{"tick"' "$results/$name.trace")
  ((ticks == seconds * 48)) || complain "$name played $ticks ticks, not $((seconds * 48))"
  [[ $(grep -c '"event":"joined"' "$results/$name.json") == 1 ]] || complain "$name's session did not last"
  echo "$name said: $(paste -sd ' ' "$results/$name.log")"
done
verdict=fail
[[ $wrong == 0 ]] && at_most "$worst" "$limit" && verdict=pass
result "$verdict" "${worst}us" "${limit}us"
