#!/usr/bin/env bash
# sound-server.sh [SECONDS]
#
# Does the default device work where a sound server stands between? A peer plays sticks.yaml for SECONDS (30) into
# `default`, which is PulseAudio here, and PulseAudio into the loopback card, which is recorded. It needs the packages
# pulseaudio and libasound2-plugins, which `lab --install` leaves alone, as they may take another sound server's place.
#
# Expected: every hit is heard, none late; after five seconds each leaves the card within 1 ms of its instant. All that
# the peer knows of the delay is what the server tells.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-30}
command -v pulseaudio >/dev/null || { echo "$scenario: pulseaudio is not there; install pulseaudio libasound2-plugins" >&2; exit 69; }
tools linkcap

export HOME=$scratch/home XDG_RUNTIME_DIR=$scratch/runtime
mkdir -p -m 700 "$HOME" "$XDG_RUNTIME_DIR"
cat >"$scratch/server.pa" <<'SERVER'
load-module module-alsa-sink device=hw:Loopback,0,0 sink_name=card tsched=0 rate=48000
load-module module-native-protocol-unix auth-anonymous=1
SERVER
linkcap "$((seconds + 12))" "$results/card" hw:Loopback,1,0 >"$results/linkcap.txt" &
recorder=$!
sleep 1
pulseaudio -n -F "$scratch/server.pa" --exit-idle-time=-1 --daemonize=no 2>"$results/pulseaudio.log" &
await 10 "the server" pactl info
peer ada --patch "$lab/sticks.yaml" --audio alsa --start --bpm 120 --duration "$seconds"
wait $! "$recorder"

wrong=0
first=$(awk '$1 == "frame" {print $3}' "$results/linkcap.txt")
hits.py "$results/card0.wav" 12000 "$first" "$results/ada.trace" | sed 's/^/all: /'
# The trace from the fifth second on has the instants that count.
report=$(hits.py --skip 5 "$results/card0.wav" 12000 "$first" "$results/ada.trace")
echo "from the fifth second on: $report"
late=$(pick "$results/ada.json" late_hits) heard=$(pick "$results/ada.json" hits)
echo "hits=$heard late=$late"
[[ $late == 0 && $heard == $((seconds * 4)) ]] || wrong=1
grep '^sound:' "$results/ada.log"
extremes=$(sed -n 's/^after they were due:.*min=\([-0-9.]*\) .*max=\([-0-9.]*\) us/\1 \2/p' <<<"$report")
read -r least most <<<"$extremes"
# The stick takes 146 us to rise above the rounding.
largest=$(awk -v a="$least" -v b="$most" 'BEGIN {a = 146 - a; b = b - 146; printf "%.1f", (a > b ? a : b)}')
verdict=fail
[[ $wrong == 0 ]] && at_most "$largest" 1000 && verdict=pass
result "$verdict" "${largest}us" 1000us
