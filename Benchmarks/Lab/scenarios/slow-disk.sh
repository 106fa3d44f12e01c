#!/usr/bin/env bash
# slow-disk.sh
#
# Does a slow disk delay the music? Each fsync and rename of a peer takes 3 s longer (tools/slowdisk.c). The player starts the
# rhythm, changes the tempo ten times and leaves.
#
# Expected: the peer plays the first tick at most 300 ms after the command (the lead time is 100 ms, and the clocks of this
# scenario have a resolution of 10 ms). No tick is skipped, and no hit is late. The saved session has the last tempo.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
limit=300
gcc -O2 -Wall -Wextra -shared -fPIC -o "$scratch/slowdisk.so" "$lab/tools/slowdisk.c" -ldl
mkfifo "$scratch/keys"
exec 3<>"$scratch/keys"

failed=0
complain() { echo "not as expected: $1"; failed=1; }

XDG_STATE_HOME=$scratch/ada LD_PRELOAD=$scratch/slowdisk.so "$TUTTI" peer --name ada --discovery off --json \
  --audio "wav:$results/ada.wav" --trace "$results/ada.trace" \
  <"$scratch/keys" >"$results/ada.json" 2>"$results/ada.log" &
ada=$!
ready ada
read -r up _ </proc/uptime
echo start >&3
for bpm in 110 111 112 113 114 115 116 117 118 119; do
  sleep 0.5
  echo "tempo $bpm" >&3
done
sleep 12
echo leave >&3
wait "$ada" || complain "the peer ended with status $?"
acted=$(awk -F '"acted":' '/"tick":0,/ {print int($2 / 1000000); exit}' "$results/ada.trace")
[[ -n $acted ]] || { echo "slow-disk: no tick in the trace" >&2; result fail none "${limit}ms"; }
took=$((acted - 10#${up/./} * 10))
echo "first tick $took ms after the command"
for count in late_hits dropped_hits ticks_skipped; do
  [[ $(pick "$results/ada.json" "$count") == 0 ]] || complain "$count is not 0"
done

grep -q '"ns_per_quarter" : 504201681' "$scratch/ada/tutti/ada.session" || complain "the last tempo is not saved"
verdict=fail
[[ $failed == 0 ]] && at_most "$took" "$limit" && verdict=pass
result "$verdict" "${took}ms" "${limit}ms"
