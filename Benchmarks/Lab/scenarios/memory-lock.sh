#!/usr/bin/env bash
# memory-lock.sh [SECONDS]
#
# Does the memory lock keep the real-time threads from the disk, at a reasonable price? A peer plays the patch street to the
# loopback card for SECONDS (600), with a follower. Every ten seconds, the kernel drops all pages of files that no process
# has locked or mapped. Then a user without the capability CAP_IPC_LOCK runs peers under finite limits of locked memory.
#
# Expected: the peer takes at most 72 MiB of memory. No real-time thread has a major page fault after the start. Under every
# limit, the peer plays to its end.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-600}

# faults PID: prints the name, the minor and the major page faults of each real-time thread.
faults() {
  local task
  for task in /proc/"$1"/task/*; do
    case $(cat "$task/comm") in clock | network | audio)
      echo "$(cat "$task/comm") $(sed 's/.*) //' "$task/stat" | cut -d ' ' -f 8,10)" ;;
    esac
  done
}

peer ada --port 5004 --audio alsa:hw:Loopback,0,0 --patch street --start --duration "$seconds"
player=$!
ready ada
peer ben --port 5014 --audio none --connect 127.0.0.1:5004 --duration "$seconds"
sleep 5
before=$(faults "$player")
for ((second = 10; second < seconds - 5; second += 10)); do
  echo 3 >/proc/sys/vm/drop_caches
  sleep 10
done
after=$(faults "$player")
memory=$(awk '/^VmRSS/ {print $2}' "/proc/$player/status") all=$(awk '/^VmSize/ {print $2}' "/proc/$player/status")
echo "memory of the peer: $((memory / 1024)) MiB"
paste -d ' ' <(echo "$before") <(echo "$after") | while read -r name minor major _ minor_after major_after; do
  echo "$name: $((minor_after - minor)) minor and $((major_after - major)) major page faults after the start"
done | tee "$results/faults"
[[ $(wc -l <"$results/faults") == 3 && $(grep -c ' and 0 major' "$results/faults") == 3 ]] || complain "a real-time thread read from the disk"
at_most "$memory" 73728 || complain "more than 72 MiB"
wait "$player" || complain "the peer ended with status $?"
obtained "$results/ada.trace" | grep -q 'memory locked: true' || complain "the memory is not locked"

# From too little to more than all mappings of the peer, in steps of a sixteenth.
for ((sixteenths = 6; sixteenths <= 20; sixteenths++)); do
  limit=$((all / 16 * sixteenths))
  status=0
  (
    ulimit -l "$limit"
    export XDG_STATE_HOME=$scratch/limited
    exec setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock "$TUTTI" peer --name eve --port 0 --discovery off --json \
      --audio "wav:$scratch/eve.wav" --start --duration 2 </dev/null >"$results/eve$sixteenths.txt" 2>&1
  ) || status=$?
  state=$(sed -n 's/.*memory lock: \([a-z]*\).*/\1/p' "$results/eve$sixteenths.txt")
  echo "limit $((limit / 1000)) MB: ${state:-complete}, status $status"
  [[ $status == 0 ]] || complain "the peer ended under a limit of $((limit / 1000)) MB"
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "$((memory / 1024))MiB,${failures}_not_as_expected" 72MiB,0
