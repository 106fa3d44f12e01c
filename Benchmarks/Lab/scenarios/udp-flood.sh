#!/usr/bin/env bash
# udp-flood.sh [SECONDS] [SOURCES]
#
# Does a flood of datagrams disturb the rhythm, or keep other peers out? A host sends datagrams to both ports of the peer ada
# as fast as one processor can: random octets, RTP packets, invitations and clock packets from many sources, each a new one
# or, with SOURCES, one of so many. The scenario has two parts, each of SECONDS (90):
# - cyclictest runs during the flood of an idle peer. This measures the cost of the flood for any thread: the kernel receives
#   a datagram in a soft interrupt that no thread can interrupt.
# - ada plays sticks.yaml at 119.3 BPM to the loopback card. The flood begins after 4 s. After 5 more seconds, the network of
#   another host begins to work, on which the peer ben already runs and invites ada once a second. (On the single processor of
#   the lab, the start of ben during the flood delayed all threads by up to 50 ms.)
#
# Expected: p99.9 of the lateness of the ticks is at most 3 times the p99.9 of cyclictest beside the same flood. No tick is
# lost. Every datagram of the flood was received or counted as discarded. All hits are played, two per quarter note, none of
# them late. The card does not run empty from the beginning of the flood to its end: the kernel's time of its last start stays
# the same. (In the lab, an underrun can occur while ada starts, also without a flood.) ben is in session with ada within 5 s
# after its network works, and plays. The network thread of ada uses at most a quarter of a processor (26 % are allowed for
# the limits of the measured interval). Both peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
seconds=${1:-90} sources=${2-}
tools seqstamps udpflood

# ada runs outside the hosts, on the bridge: its trace and seqstamps then use the same clock. Host 1 sends the flood, without
# the delay of a network, on the last processor. ada replies to the sources of the flood by host 1, which has all their
# addresses.
hosts 2 still
ip address add 10.99.0.9/24 dev lab0
ip route add 10.98.0.0/16 via 10.99.0.1
tc -n host1 qdisc del dev net1 root
ip -n host1 route add local 10.98.0.0/16 dev lo
# flood SECONDS: sends the flood to ada.
flood() {
  # shellcheck disable=SC2086 # sources may be empty
  ip netns exec host1 taskset -c $(($(nproc) - 1)) udpflood 10.99.0.9 5004 "$1" $sources
}
# thread NAME: the processor time of a thread of ada so far, in nanoseconds. The control thread is the main thread.
thread() {
  local task used
  for task in /proc/"$ada"/task/*; do
    [[ ${task##*/} == "$ada" && $1 == control || $(<"$task/comm") == "$1" ]] || continue
    read -r used _ <"$task/schedstat"
    echo "$used"
    return
  done
}
# milliseconds: the time of the clock of the peers, with a resolution of 10 ms, without starting a program.
milliseconds() {
  local up
  read -r up _ </proc/uptime
  echo $((10#${up/./} * 10))
}
# last_start: when the card was last started.
last_start() { awk '/^trigger_time/ {print $2}' /proc/asound/Loopback/pcm0p/sub0/status; }
# softirq: the processor time of soft interrupts so far, in hundredths of a second.
softirq() { awk '$1 == "cpu" {print $8}' /proc/stat; }
# share NAME NANOSECONDS MILLISECONDS: prints the share of a processor, in per cent.
share() { awk -v name="$1" -v ns="$2" -v ms="$3" 'BEGIN {printf "%s=%.1f%% ", name, ns / ms / 1e4}'; }

peer idle --midi --audio none --duration $((seconds + 6))
ready idle
sleep 1
flood $((seconds + 1)) >"$results/idle-flood.txt" &
machine=$(machine_latency "$seconds")
wait
echo "idle, $(<"$results/idle-flood.txt")"
echo "during the flood, $machine"

tc -n host2 qdisc replace dev net2 root netem loss 100%
host=2 peer ben --patch "$lab/sticks.yaml" --audio none --connect 10.99.0.9:5004 --duration $((seconds + 12))
ben=$!
ready ben
peer ada --midi --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --start --bpm 119.3 --lead-time 2000 \
  --duration $((seconds + 6))
ada=$!
seqstamps ada:clock $((seconds + 12)) >"$results/ada-stamps.txt" &
subscriber=$!
await 20 "ada on the card" playing
sleep 4
started=$(last_start)
flood "$seconds" >"$results/ada-flood.txt" &
flood=$!
sleep 1
declare -A before
names=(network clock audio control)
since=$(milliseconds)
for name in "${names[@]}"; do before[$name]=$(thread "$name"); done
soft=$(softirq)
sleep 4
connected=$(milliseconds)
# shellcheck disable=SC2046 # several parameters
tc -n host2 qdisc replace dev net2 root netem $(netem still)
sleep $((seconds - 8))
took=$(($(milliseconds) - since))
used=$(($(thread network) - before[network]))
echo "threads of ada: $(for name in "${names[@]}"; do
  share "$name" $(($(thread "$name") - before[$name])) "$took"
done)$(share softirq $((($(softirq) - soft) * 10000000)) "$took")"
((used <= took * 260000)) || complain "the network thread uses more than a quarter of a processor"
wait "$flood"
[[ -n $started && $(last_start) == "$started" ]] || complain "the card ran empty during the flood"
wait "$ben" || complain "ben ended with status $?"
wait "$ada" || complain "ada ended with status $?"
wait "$subscriber"
echo "ada, $(<"$results/ada-flood.txt")"

joined=$(python3 - "$results/ben.json" $((connected + 1000 * ahead[2])) <<'PYTHON'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
times = [event["at_ns"] // 1000000 - int(sys.argv[2]) for event in events if event.get("event") == "joined"]
print(times[0] if times else "never")
PYTHON
)
echo "ben in session after $joined ms, ticks of ben: $(grep -c '^{"tick"' "$results/ben.trace" || true)"
[[ $joined != never && $joined -le 5000 ]] || complain "ben did not join within 5 s"
grep -q '"joined"' "$results/ada.json" || complain "ben never joined at ada"
grep -q '^{"tick"' "$results/ben.trace" || complain "ben did not play"

lateness.py ticks 119.3 "$results/ada-stamps.txt" "$results/ada.trace" >"$results/ada-lateness.txt" || complain "ticks of ada"
echo "ada, $(<"$results/ada-lateness.txt")"
for key in hits late_hits dropped_hits underruns silent_frames ticks_skipped datagrams_received datagrams_dropped \
  datagrams_discarded datagrams_limited network_pauses; do
  printf '%s=%s ' "$key" "$(pick "$results/ada.json" "$key" 2>/dev/null || echo none)"
done
echo
for key in late_hits dropped_hits ticks_skipped; do
  [[ $(pick "$results/ada.json" "$key") == 0 ]] || complain "$key of ada is not 0"
done
sent=$(sed -n 's/.*sent \([0-9]*\).*/\1/p' "$results/ada-flood.txt")
counted=$(($(pick "$results/ada.json" datagrams_received) + $(pick "$results/ada.json" datagrams_discarded)))
((counted >= sent)) || complain "only $counted of $sent datagrams were received or counted as discarded"
# One hit per twelve ticks.
ticks=$(grep -c '^{"tick"' "$results/ada.trace")
[[ $(pick "$results/ada.json" hits) -ge $((ticks / 12)) ]] || complain "ada did not play all hits"

limit=$(awk -v p="$(figure p99.9 <<<"$machine")" 'BEGIN {printf "%.1f", 3 * p}')
late=$(figure p99.9 <"$results/ada-lateness.txt")
verdict=fail
at_most "$late" "$limit" && [[ $failures == 0 ]] && verdict=pass
result "$verdict" "${late}us,${joined}ms" "${limit}us,5000ms"
