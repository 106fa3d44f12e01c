#!/usr/bin/env bash
# avahi-restart.sh
#
# Does the music continue if Avahi is restarted? Each host on the network lan has its own system bus and Avahi daemon. ada and ben
# find each other through Avahi, and ada is the master. While they play, the daemon on ada's host is terminated and started again at
# once. Then the daemons on both hosts are killed, and started again after five seconds. Finally the daemon of a third host and a
# third peer, cem, start. cem must find ada and ben.
#
# Debian packages: avahi-daemon dbus
#
# Expected: each peer reports each loss of its daemon once. No loss ends the session of ada and ben. No tick is missing at
# either peer, and the offset between them is always within 1 ms. cem has sessions with both within 10 s after its start. All
# peers end with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/sessions.sh"
PATH=$PATH:/usr/sbin
seconds=80
hosts 3 lan
daemon=() started=(0 0 0 0)

# start_bus N: starts a system bus for host N.
start_bus() {
  cat >"$scratch/bus$1.conf" <<BUS
<busconfig>
  <type>system</type>
  <listen>unix:path=$scratch/bus$1</listen>
  <auth>EXTERNAL</auth> <auth>ANONYMOUS</auth> <allow_anonymous/>
  <policy context="default">
    <allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
  </policy>
</busconfig>
BUS
  dbus-daemon --config-file="$scratch/bus$1.conf" --nofork --nopidfile 2>>"$results/bus.log" &
  await 10 "bus $1" test -S "$scratch/bus$1"
}
# start_daemon N: starts the Avahi daemon of host N and waits until it is ready. The path of its PID file is fixed, so each
# daemon has its own /run.
start_daemon() {
  printf '[server]\nhost-name=host%s\nuse-ipv6=no\nallow-interfaces=net%s\n[wide-area]\nenable-wide-area=no\n' "$1" "$1" \
    >"$scratch/avahi$1.conf"
  DBUS_SYSTEM_BUS_ADDRESS=unix:path=$scratch/bus$1 ip netns exec "host$1" unshare --mount sh -c \
    'mount -t tmpfs none /run && mkdir /run/avahi-daemon && exec avahi-daemon --no-drop-root --no-rlimits --no-chroot --file "$1"' \
    sh "$scratch/avahi$1.conf" 2>>"$results/avahi$1.log" &
  daemon[$1]=$!
  started[$1]=$((started[$1] + 1))
  await 20 "daemon $1" is_ready "$1"
}
# is_ready N: whether the daemon of host N has reported each of its starts.
is_ready() { [[ $(grep -c 'Server startup complete' "$results/avahi$1.log") == "${started[$1]}" ]]; }
# stop_daemon N SIGNAL: stops the daemon and waits until it has ended.
stop_daemon() {
  kill "-$2" "${daemon[$1]}"
  wait "${daemon[$1]}" 2>/dev/null || true
}
# seeker NAME HOST OPTION...: starts a peer that finds others through the daemon of its host.
seeker() {
  local name=$1 host=$2
  shift 2
  DBUS_SYSTEM_BUS_ADDRESS=unix:path=$scratch/bus$host peer "$name" --audio none --discovery connect "$@"
}
# met: whether all three peers are in session with each other.
met() { [[ $(sessions ada) == 2 && $(sessions ben) == 2 && $(sessions cem) == 2 ]]; }

for n in 1 2; do
  start_bus "$n"
  start_daemon "$n"
done
seeker ben 2 --duration $((seconds + 20))
ben=$!
ready ben
seeker ada 1 --start --bpm 120 --duration "$seconds"
ada=$!
await 20 "the first session" together 1 1
phase undisturbed
sleep 8
phase "restart at ada"
stop_daemon 1 TERM
start_daemon 1
sleep 8
phase "no daemon"
stop_daemon 1 KILL
stop_daemon 2 KILL
sleep 5
start_daemon 1
start_daemon 2
phase "daemons again"
sleep 5
# This daemon starts last, so it has stored no announcement from before the restarts.
start_bus 3
start_daemon 3
seeker cem 3 --duration 12
cem=$!
await 10 "cem in session" met || complain "cem has not found both peers within 10 s"
for name in ada ben cem; do wait "${!name}" || complain "$name ended with status $?"; done

in_step 1000
echo "messages of cem: $(paste -sd '|' "$results/cem.log")"
ticks=$(grep -c '^{"tick"' "$results/ada.trace" || true)
[[ $ticks == $((seconds * 48)) ]] || complain "ada played $ticks ticks, not $((seconds * 48))"
# expect NAME COUNT PATTERN: compares the number of messages of a peer.
expect() {
  local count
  count=$(grep -c "$3" "$results/$1.log" || true)
  [[ $count == "$2" ]] || complain "$1 reported $count times, not $2 times: $3"
}
expect ada 2 'discovery: the Avahi daemon is not running'
expect ben 1 'discovery: the Avahi daemon is not running'
# ada and ben have exactly one session with each of the two other peers. Each session ends when cem or ada leaves.
for name in ada ben; do
  expect "$name" 2 ' joined$'
  expect "$name" 2 ' left$'
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${worst}us,${failures}_not_as_expected" 1000us,0
