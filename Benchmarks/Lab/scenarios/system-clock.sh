#!/usr/bin/env bash
# system-clock.sh [NETWORK]
#
# Does the rhythm continue when the system clock is changed? There are two hosts on the network still, lan (default), wifi or
# poor; ada is the master, ben follows. CLOCK_REALTIME is stepped ahead and back by an hour, ahead by 0.3 s, 5000 times
# ahead and back by 0.3 s at intervals of 0.7 ms, and slewed by 500 ppm in both directions. The kernel uses this clock for
# receive time stamps, and an error of 0.3 s looks plausible. A slew also changes the rate of CLOCK_MONOTONIC, equally for
# both peers.
#
# Expected: from one second after the peers met, the offset between them is always within 1 ms. No tick is lost and all ticks
# that are due are played. The session lasts, and both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan}
seconds=130 limit=1000
tools stepclock
hosts 2 "$network"

# phase LABEL...: records the beginning of a phase.
phase() {
  local up
  read -r up _ </proc/uptime
  echo "$up $*" >>"$results/phases.txt"
}

# One run before the measurement, so that the program is in memory.
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
phase 0.3 s ahead and back
stepclock storm 0.3 5000 0.7
sleep 10
phase slewed by +500 ppm
stepclock slew 500
sleep 20
phase slewed by -500 ppm
stepclock slew -500
sleep 20
phase undisturbed again
stepclock slew 0
failed=0
complain() { echo "not as expected: $1"; failed=1; }
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

phases.py "$results/phases.txt" "$results/ada" "${ahead[1]}" "$results/ben" "${ahead[2]}" | tee "$results/phase-offsets.txt"
worst=$(figure worst <"$results/phase-offsets.txt")
[[ $(figure missing <"$results/phase-offsets.txt") == 0 ]] || complain "ticks missing at one of the peers"
for name in ada ben; do
  ticks=$(grep -c '^{"tick"' "$results/$name.trace")
  ((ticks == seconds * 48)) || complain "$name played $ticks ticks, not $((seconds * 48))"
  [[ $(grep -c '"event":"joined"' "$results/$name.json") == 1 ]] || complain "the session of $name did not last"
  echo "messages of $name: $(paste -sd ' ' "$results/$name.log")"
done
verdict=fail
[[ $failed == 0 ]] && at_most "$worst" "$limit" && verdict=pass
result "$verdict" "${worst}us" "${limit}us"
