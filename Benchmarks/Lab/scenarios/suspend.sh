#!/usr/bin/env bash
# suspend.sh [NETWORK]
#
# Is a peer back in step after its laptop was suspended? There are two hosts on the network still, lan (default), wifi or poor.
# ada is the master and ben follows. During play, ben is suspended for 3 and 20 s, then ada for 20 s. A suspended peer is
# stopped and its cable is cut. Its CLOCK_MONOTONIC stands still (tools/suspend.c).
#
# Expected: within 2 s after the end of each suspension, both peers act on every tick again, and the offset between them is
# within 1 ms. Each suspension is reported once, and the system clock is not reported as stepped. Both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
network=${1:-lan} seconds=80 limit=2000
hosts 2 "$network"
gcc -O2 -Wall -Wextra -shared -fPIC -o "$scratch/suspend.so" "$lab/tools/suspend.c"
declare -A total=([ada]=0 [ben]=0)

# write NUMBER FILE: writes eight octets, little-endian, into an existing file.
write() {
  local n=$1 i
  for i in {1..8}; do
    # shellcheck disable=SC2059 # the format is the octet
    printf "\\x$(printf %02x $((n & 255)))"
    n=$((n >> 8))
  done 1<>"$2"
}
# suspend NAME HOST SECONDS
suspend() {
  local begin end
  ip link set "port$2" down
  pkill -STOP -f "peer --name $1 "
  begin=$(milliseconds)
  sleep "$3"
  end=$(milliseconds)
  total[$1]=$((total[$1] + end - begin))
  write $((total[$1] * 1000000)) "$scratch/$1.suspended"
  ip link set "port$2" up
  pkill -CONT -f "peer --name $1 "
  awk -v name="$1" -v begin="$begin" -v end="$end" 'BEGIN {print name, begin / 1000, end / 1000}' >>"$results/suspensions.txt"
}
# laptop NAME HOST OPTION...: starts a peer that can be suspended.
laptop() {
  local name=$1 host=$2
  shift 2
  : >"$scratch/$name.suspended"
  write 0 "$scratch/$name.suspended"
  SUSPENDED=$scratch/$name.suspended LD_PRELOAD=$scratch/suspend.so peer "$name" --audio none "$@"
}

laptop ben 2 --duration $((seconds + 60))
ben=$!
ready ben
laptop ada 1 --connect 10.99.0.2:5004 --start --bpm 120 --duration "$seconds"
ada=$!
await 20 "the first session" together 1 1
sleep 8
suspend ben 2 3
sleep 8
suspend ben 2 20
sleep 8
suspend ada 1 20
sleep 8
pkill -TERM -x tutti || true
wait "$ada" || complain "ada ended with status $?"
wait "$ben" || complain "ben ended with status $?"

resumed.py "$results/suspensions.txt" "$results/ada" "${ahead[1]}" "$results/ben" "${ahead[2]}" | tee "$results/resumed.txt"
for name in ada ben; do echo "messages of $name: $(paste -sd '|' "$results/$name.log")"; done
took=$(figure worst <"$results/resumed.txt") offset=$(figure offset <"$results/resumed.txt")
at_most "$took" "$limit" || complain "more than $limit ms"
reports=$(grep -c 'was suspended for' "$results/ada.log" || true),$(grep -c 'was suspended for' "$results/ben.log" || true)
[[ $reports == 1,2 ]] || complain "ada and ben reported $reports suspensions"
! grep 'stepped' "$results/ada.log" "$results/ben.log" || complain "a clock is reported as stepped"
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${took}ms,${offset}us" "${limit}ms,1000us"
