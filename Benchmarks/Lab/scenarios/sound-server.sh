#!/usr/bin/env bash
# sound-server.sh [SECONDS [stalls]]
#
# Is the timing correct through a sound server? A peer plays sticks.yaml for SECONDS (30) to the device `default`, which is
# PulseAudio here. PulseAudio plays to the loopback card, which is recorded. The scenario needs the packages pulseaudio and
# libasound2-plugins. `lab --install` does not install them, because they could replace another sound server.
#
# The peer knows the delay only from the reports of the server. PulseAudio estimates the rate of its card over ten seconds, so it runs
# for 15 s before the peer starts.
#
# Expected: every hit is recorded, none is late, and each leaves the card within 1 ms of its instant, from the first one on.
#
# With `stalls`, the peer is stopped for 30 ms twenty times. The level of its buffer at the server grows until the delay is
# longer than the time by which hits are passed to the sound at first. Expected: from the fifteenth second on, each hit leaves
# the card within 1 ms of its instant.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-30} stalls=${2-} settled=0
command -v pulseaudio >/dev/null || { echo "$scenario: pulseaudio: not installed; install pulseaudio and libasound2-plugins" >&2; exit 69; }
tools linkcap

export HOME=$scratch/home XDG_RUNTIME_DIR=$scratch/runtime
mkdir -p -m 700 "$HOME" "$XDG_RUNTIME_DIR"
cat >"$scratch/server.pa" <<'SERVER'
load-module module-alsa-sink device=hw:Loopback,0,0 sink_name=card tsched=0 rate=48000
load-module module-native-protocol-unix auth-anonymous=1
SERVER
linkcap "$((seconds + 27))" "$results/card" hw:Loopback,1,0 >"$results/linkcap.txt" &
recorder=$!
sleep 1
pulseaudio -n -F "$scratch/server.pa" --exit-idle-time=-1 --daemonize=no 2>"$results/pulseaudio.log" &
await 10 "the server" pactl info
sleep 15
peer ada --patch "$lab/sticks.yaml" --audio alsa --start --bpm 120 --duration "$seconds"
player=$!
if [[ $stalls == stalls ]]; then
  settled=15
  sleep 6
  for _ in {1..20}; do
    kill -STOP "$player"
    sleep 0.03
    kill -CONT "$player"
    sleep 0.3
  done
fi
wait "$player" "$recorder"

failed=0
first=$(awk '$1 == "frame" {print $3}' "$results/linkcap.txt")
# With `stalls`, only the hits from the fifteenth second on are judged.
report=$(hits.py --skip "$settled" "$results/card0.wav" 12000 "$first" "$results/ada.trace")
echo "from second $settled on: $report"
late=$(pick "$results/ada.json" late_hits) played=$(pick "$results/ada.json" hits)
echo "hits=$played late=$late"
# A hit that is due while the peer is stopped is late.
[[ $(figure missing <<<"$report")$(figure duplicates <<<"$report")$(figure unrecorded <<<"$report") == 000 ]] || failed=1
[[ $played == $((seconds * 4)) && ($late == 0 || ($stalls == stalls && $late -le 20)) ]] || failed=1
grep '^sound' "$results/ada.log"
extremes=$(sed -n 's/^after the due time:.*min=\([-0-9.]*\) .*max=\([-0-9.]*\) us/\1 \2/p' <<<"$report")
read -r least most <<<"$extremes"
# The sound of the stick needs 146 us to exceed the rounding noise.
largest=$(awk -v a="$least" -v b="$most" 'BEGIN {a = 146 - a; b = b - 146; printf "%.1f", (a > b ? a : b)}')
verdict=fail
[[ $failed == 0 ]] && at_most "$largest" 1000 && verdict=pass
result "$verdict" "${largest}us" 1000us
