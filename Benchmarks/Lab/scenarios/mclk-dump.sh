#!/usr/bin/env bash
# mclk-dump.sh [SECONDS]
#
# Does `tutti measure clock` agree with jack_mclk_dump? clockgen sends 119.3 BPM for SECONDS (60). Each tick is late by
# |N(0, 1 ms)|. Two programs receive the ticks at the same time: `tutti measure clock` at the ALSA port, and jack_mclk_dump on jackd
# (dummy driver, periods of 128 frames at 48 kHz), which a2jmidid connects to the port. Afterwards, `tutti measure clock` also
# reads the stamps that jack_mclk_dump has printed.
#
# Expected: both measurements of Tutti have the tempo of jack_mclk_dump within 0.02 BPM. For the same stamps, the standard deviation of
# the intervals is that of the intervals of jack_mclk_dump, within 0.1 %. No tick is lost or doubled.
#
# Debian packages: jackd2 jack-midi-clock a2jmidid
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-60} bpm=119.3
tools clockgen

programs=()
jackd -R -P 70 -d dummy -r 48000 -p 128 >"$results/jackd.log" 2>&1 & programs+=($!)
# `jack_wait -c` ends with status 0 even if the server does not run yet.
jack_wait -w -t 20 >/dev/null 2>&1
a2jmidid -e >"$results/a2jmidid.log" 2>&1 & programs+=($!)
jack_mclk_dump --newline >"$results/dump.txt" 2>"$results/mclk.log" & programs+=($!)
await 10 "the port of jack_mclk_dump" eval 'jack_lsp 2>/dev/null | grep mclk_in'
clockgen $bpm "$seconds" --jitter 1 --seed 1 >"$results/truth.txt" &
generator=$!
await 10 "the bridge to clockgen" eval 'jack_lsp | grep "a2j:clockgen"'
"$TUTTI" measure clock alsa:clockgen --seconds "$((seconds + 10))" --nominal $bpm --json >"$results/alsa.json" &
measurement=$!
jack_connect "$(jack_lsp | grep 'a2j:clockgen')" "$(jack_lsp | grep mclk_in)"
wait "$generator"
wait "$measurement" || complain "measure clock alsa: status $?"
kill "${programs[@]}"
wait "${programs[@]}" || true

mclkdump.py "$results/dump.txt" "$results/stamps.txt" | tee "$results/mclk.txt"
"$TUTTI" measure clock "$results/stamps.txt" --nominal $bpm --json >"$results/stamps.json"
tempo=$(figure tempo_bpm <"$results/mclk.txt") deviation=$(figure interval_sd_us <"$results/mclk.txt")
for source in alsa stamps; do
  measured=$(pick "$results/$source.json" tempo_bpm)
  echo "$source: tempo_bpm=$measured interval_sd_us=$(pick "$results/$source.json" interval.sd_us)" \
    "ticks=$(pick "$results/$source.json" ticks)"
  awk -v a="$measured" -v b="$tempo" 'BEGIN { exit !(a - b < 0.02 && b - a < 0.02) }' || complain "tempo of $source"
  for count in lost doubled; do
    [[ $(pick "$results/$source.json" "$count") == 0 ]] || complain "ticks $count in $source"
  done
done
measured=$(pick "$results/stamps.json" interval.sd_us)
awk -v a="$measured" -v b="$deviation" 'BEGIN { exit !(a / b < 1.001 && b / a < 1.001) }' || complain "standard deviation"
[[ $failures == 0 ]] && verdict=pass || verdict=fail
result "$verdict" "$(printf %.1f "$measured")us" "$(printf %.1f "$deviation")us"
