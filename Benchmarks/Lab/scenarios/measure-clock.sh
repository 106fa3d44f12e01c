#!/usr/bin/env bash
# measure-clock.sh [SECONDS]
#
# Does `tutti measure clock` measure an ALSA port correctly? clockgen sends 120 BPM for SECONDS (60). Each tick is late by
# |N(0, 1 ms)|.
#
# Expected: no tick is lost or doubled, the tempo is 120 BPM within 0.02 BPM, and the standard deviation of the phase is
# that of |N(0, 1 ms)|, 603 us, within 10 %.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-60}
tools clockgen

clockgen 120 "$seconds" --jitter 1 --seed 1 >"$results/truth.txt" &
generator=$!
await 10 "port clockgen:out" address clockgen out
# The clock ends before the measurement.
"$TUTTI" measure clock alsa:clockgen --seconds "$((seconds + 10))" --nominal 120 --json >"$results/clock.json"
wait "$generator"
deviation=$(pick "$results/clock.json" phase.sd_us)
for count in lost doubled; do
  [[ $(pick "$results/clock.json" "$count") == 0 ]] || complain "ticks $count"
done
awk -v bpm="$(pick "$results/clock.json" tempo_bpm)" 'BEGIN { exit !(bpm > 119.98 && bpm < 120.02) }' || complain "tempo"
awk -v sd="$deviation" 'BEGIN { exit !(sd > 543 && sd < 663) }' || complain "standard deviation of the phase"
[[ $failures == 0 ]] && verdict=pass || verdict=fail
result "$verdict" "${deviation}_us" 603_us
