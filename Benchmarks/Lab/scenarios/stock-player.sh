#!/usr/bin/env bash
# stock-player.sh [SECONDS]
#
# For comparison: the stock fluidsynth program plays the same sticks from a MIDI file to the loopback card.
#
# Expected: no limit. Hits deviate by up to 32 frames from the grid, because voices start at blocks of 64 frames. The
# scenario passes if it records hits.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-60}
tools linkcap
midifile.py sticks "$seconds" "$scratch/sticks.mid"

linkcap "$((seconds + 3))" "$results/stock" hw:Loopback,1,0 >"$results/linkcap.txt" &
recorder=$!
fluidsynth -q -n -i -R 0 -C 0 -r 48000 -a alsa -o audio.alsa.device=hw:Loopback,0,0 \
  "$soundfont" "$scratch/sticks.mid" >"$results/fluidsynth.log" 2>&1
wait "$recorder"
report=$(hits.py "$results/stock0.wav" 12000)
echo "fluidsynth, $report"
result pass "$(figure max <<<"$report")frames" none
