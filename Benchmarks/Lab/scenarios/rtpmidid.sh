#!/usr/bin/env bash
# rtpmidid.sh [SEED]
#
# Does a peer behind rtpmidid play in time? Peer ada sends its clock over RTP-MIDI to rtpmidid, which passes it to an ALSA port. Peer ben
# follows this port. ada starts, stops and continues ten times, at random instants (SEED, 1). rtpmidid does not pass on Song Position, so ben
# counts ticks.
#
# rtpmidid is not in Debian 12. Build it from https://github.com/davidmoreno/rtpmidid and copy the program to .build/rtpmidid/rtpmidid.
#
# Expected: after each Start and Continue, ben plays each tick of ada from a quarter note on. The 95th percentile of the error of a tick is at
# most 2 ms.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
rtpmidid=$lab/../../.build/rtpmidid/rtpmidid
[[ -x $rtpmidid ]] || { echo "$scenario: $rtpmidid: not found; build rtpmidid and copy it there" >&2; exit 69; }
# rtpmidid announces itself by Avahi, and waits for it.
mkdir -p /run/dbus
dbus-daemon --system --fork
avahi-daemon --daemonize --no-drop-root --no-chroot

mkfifo "$scratch/ada.commands"
exec 3<>"$scratch/ada.commands"
XDG_STATE_HOME=$scratch/ada "$TUTTI" peer --name ada --discovery off --audio none --port 6004 --json --trace "$results/ada.trace" \
  <"$scratch/ada.commands" >"$results/ada.json" 2>"$results/ada.log" &
ada=$!
ready ada
cat >"$scratch/rtpmidid.ini" <<END
[general]
alsa_name=rtpmidid
control=$scratch/rtpmidid.sock
[connect_to]
hostname=127.0.0.1
port=6004
name=ada
END
"$rtpmidid" --ini "$scratch/rtpmidid.ini" >"$results/rtpmidid.log" 2>&1 &
await 20 "port rtpmidid:ada" address rtpmidid ada
peer ben --midi --clock-from ada --audio none --port 5004
ben=$!
ready ben
sleep 4
randomtimes.py "${1:-1}" 20 | {
  command=start
  while read -r playing && read -r pause; do
    echo $command >&3
    sleep "$playing"
    echo stop >&3
    sleep "$pause"
    command=continue
  done
}
echo leave >&3
wait "$ada"
kill -INT "$ben"
wait "$ben" || true
behind.py "$results/ada.trace" "$results/ben.trace" | tee "$results/behind.txt"
p95=$(figure p95_us <"$results/behind.txt")
runs=$(figure runs <"$results/behind.txt")
missing=$(figure missing <"$results/behind.txt")
verdict=pass
[[ $runs == 10 && $missing == 0 ]] || verdict=fail
awk -v p="$p95" 'BEGIN {exit !(p <= 2000)}' || verdict=fail
result "$verdict" "${p95}us" 2000us
