#!/usr/bin/env bash
# all.sh [--keep FOLDER] [NAME...]
#
# Runs all scenarios, or the named ones, in the lab under its virtual clock. Writes the command and the output of each
# scenario to Benchmarks/results/NAME.txt. With --keep, the files that a scenario writes to /out are kept in FOLDER/NAME.
# Exit status 1 if a scenario failed.
#
# Needs the release build: swift build -c release --product tutti
set -euo pipefail
if [[ ${1-} == --keep ]]; then
  [[ -n ${2-} ]] || { echo "all.sh: --keep: no value; give a folder" >&2; exit 64; }
  mkdir -p "$2"
  out=$(cd "$2" && pwd)
  shift 2
else
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi
cd "$(dirname "$0")/../.."

# Name, time limit in seconds of this machine, scenario with arguments.
runs='
tick-lateness          900 tick-lateness.sh 120
tick-lateness-stress  1800 tick-lateness.sh 120 stress
clock-count            900 clock-count.sh 60
clock-outputs          600 clock-outputs.sh
round-trip             600 round-trip.sh 1
two-peers-lan          900 two-peers.sh lan 60
two-peers-wifi         900 two-peers.sh wifi 60
two-peers-lan-stress  1800 two-peers.sh lan 60 stress
note-latency          3600 note-latency.sh
quantized-notes-lan    900 quantized-notes.sh lan 60
quantized-notes-wifi   900 quantized-notes.sh wifi 60
stock-player           600 stock-player.sh 60
clock-from            1800 clock-from.sh 600
measure-clock          600 measure-clock.sh 60
measure-follower      3600 measure-follower.sh 40
sound-server           600 sound-server.sh 30
sound-server-stalls    600 sound-server.sh 40 stalls
sound-server-restart   900 sound-server-restart.sh
slow-disk              600 slow-disk.sh
vanishing-card         600 vanishing-card.sh
missing-card           600 missing-card.sh
memory-lock           3600 memory-lock.sh 600
vanishing-port         600 vanishing-port.sh
flood                  900 flood.sh 30
udp-flood             2400 udp-flood.sh 90
hostile-neighbour    14400 hostile-neighbour.sh
reconnect              900 reconnect.sh still
two-interfaces         900 two-interfaces.sh
through-a-third        900 through-a-third.sh
score                  900 score.sh
score-wifi             900 score.sh wifi
temporary-addresses    900 temporary-addresses.sh
dhcp-renewal           900 dhcp-renewal.sh
avahi-restart          900 avahi-restart.sh
suspend                900 suspend.sh
side-by-side-still    3600 side-by-side.sh still 10
side-by-side-lan      3600 side-by-side.sh lan 10
side-by-side-wifi     3600 side-by-side.sh wifi 10
side-by-side-busy     3600 side-by-side.sh busy 10
side-by-side-poor     3600 side-by-side.sh poor 10
system-clock           900 system-clock.sh
'
selected=" $* "
mkdir -p Benchmarks/results
count=0 failed=0
while read -r name limit scenario; do
  [[ -n $name ]] || continue
  [[ $# == 0 || $selected == *" $name "* ]] || continue
  count=$((count + 1))
  read -ra words <<<"$scenario"
  command=(Benchmarks/Lab/lab --virtual --timeout "$limit" --out "$out/$name" "Benchmarks/Lab/scenarios/${words[0]}"
    "${words[@]:1}")
  echo "== $name"
  # Compiling takes seconds here and minutes in the guest. If it fails here, the lab reports the missing packages.
  [[ $name != side-by-side-* || .build/linkpeer -nt Benchmarks/Lab/tools/linkpeer.cpp ]] ||
    Benchmarks/Lab/tools/build-linkpeer .build/linkpeer 2>/dev/null || true
  {
    echo "\$ ${command[*]}" | sed "s|$out|result|"
    "${command[@]}" || echo "status $?"
  } </dev/null | tee "Benchmarks/results/$name.txt"
  grep -q "^RESULT .* pass " "Benchmarks/results/$name.txt" || failed=$((failed + 1))
done <<<"$runs"
[[ $count != 0 ]] || {
  echo "all.sh: $*: no such scenario; give one of:" $(awk '{print $1}' <<<"$runs") >&2
  exit 64
}
echo "$count scenarios, $failed failed"
[[ $failed == 0 ]]
