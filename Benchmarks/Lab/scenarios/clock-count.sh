#!/usr/bin/env bash
# clock-count.sh [SECONDS]
#
# Which clock events does a standard program receive? aseqdump records the clock port at 61, 120 and 299.7 BPM for SECONDS
# (60).
#
# Expected: Start first, Stop last, and between them exactly the ticks due in [0, SECONDS): 1464, 2880 and 7193 in 60 s.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-60}
failures=0

# ticks_due BPM: the number of ticks n with floor(n q / 24) < SECONDS; a quarter note takes q = ceil(60e9 / BPM) ns.
ticks_due() {
  python3 -c '
import math, sys
quarter, span = math.ceil(60e9 / float(sys.argv[1])), int(sys.argv[2]) * 10**9
print((24 * span + quarter - 1) // quarter)' "$1" "$seconds"
}

for bpm in 61 120 299.7; do
  peer "peer-$bpm" --midi --audio none --start --bpm "$bpm" --lead-time 2000 --duration "$seconds"
  player=$!
  await 10 "the clock port" address "peer-$bpm" clock
  port=$(address "peer-$bpm" clock)
  aseqdump -p "$port" >"$scratch/seen" &
  dump=$!
  wait "$player"
  kill "$dump"
  wait "$dump" || true
  # Only the events of the peer, such as "128:0   Clock", without the announcements of the system.
  awk -v port="$port" '$1 == port {print $2}' "$scratch/seen" >"$results/events-$bpm.txt"
  count=$(grep -c '^Clock$' "$results/events-$bpm.txt" || true)
  due=$(ticks_due "$bpm") first=$(head -n 1 "$results/events-$bpm.txt") last=$(tail -n 1 "$results/events-$bpm.txt")
  echo "$bpm BPM, $seconds s: ticks=$count due=$due first=$first last=$last"
  [[ $count == "$due" && $first == Start && $last == Stop ]] || failures=$((failures + 1))
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${failures}_wrong_tempos" 0
