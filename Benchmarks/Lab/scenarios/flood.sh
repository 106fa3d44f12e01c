#!/usr/bin/env bash
# flood.sh [SECONDS]
#
# Does a flood at the door disturb the rhythm? A peer plays at 120 BPM; 10 000 events a second come to its input port
# for SECONDS (30). Another one before it played as long in peace, and at the door of a third, which does not play,
# cyclictest tells what the flood alone costs a thread on this machine: the kernel takes each event in a system call
# that no thread interrupts.
#
# Expected: no tick lost; p99.9 of the ticks' lateness at most 1.5 times that of cyclictest in the flood; what is dropped
# is counted.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-30}
tools seqstamps flood

peer idle --midi --audio none --duration "$((seconds + 4))"
await 10 "port idle:in" address idle in
flood idle:in "$((seconds + 1))" >/dev/null &
cyclictest -m -p 80 -i 2000 -h 5000 -q -D "$seconds" >"$results/cyclictest.txt"
wait
machine=$(lateness.py cyclictest "$results/cyclictest.txt")
echo "in the flood, $machine"

for run in quiet flooded; do
  peer "$run" --midi --audio none --start --bpm 120 --lead 2000 --duration "$((seconds + 2))"
  player=$!
  seqstamps "$run:clock" "$((seconds + 6))" >"$results/$run-stamps.txt" &
  subscriber=$!
  [[ $run == quiet ]] || { sleep 3; flood "$run:in" "$seconds" >"$results/flood.txt"; }
  wait "$player" "$subscriber"
  lateness.py ticks 120 "$results/$run-stamps.txt" "$results/$run.trace" >"$results/$run-lateness.txt"
  echo "$run, $(cat "$results/$run-lateness.txt")"
done
echo "flood: $(cat "$results/flood.txt")"
# Everything the peer counted as not taken, whatever for.
dropped=$(python3 - "$results/flooded.json" <<'PYTHON'
import json, sys
summary = json.loads(open(sys.argv[1]).read().strip().rsplit("\n", 1)[-1])
words = ("dropped", "overflow", "ignored", "lost")
counts = {key: n for key, n in summary.items() if any(word in key for word in words) and isinstance(n, int) and n}
print(sum(counts.values()), " ".join(f"{key}={n}" for key, n in sorted(counts.items())))
PYTHON
)
echo "counted as dropped: $dropped"
limit=$(awk -v p="$(figure p99.9 <<<"$machine")" 'BEGIN {printf "%.1f", 1.5 * p}')
late=$(figure p99.9 <"$results/flooded-lateness.txt")
verdict=fail
at_most "$late" "$limit" && [[ ${dropped%% *} != 0 ]] && verdict=pass
result "$verdict" "${late}us" "${limit}us"
