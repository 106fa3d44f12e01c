#!/usr/bin/env bash
# measure-follower.sh [SECONDS]
#
# Does `tutti measure follower` measure how devices follow a clock? It measures two devices through the loopback card, with parts of
# SECONDS (40), jitter of 2 ms, tempo steps of 5 % and four lost ticks:
#
# - tickdrum with the stock fluidsynth program. tickdrum plays when a tick arrives, and counts the ticks. Expected: the
#   transfer is 1 within 0.2, the device is settled at once, each lost tick shifts it by one tick, and the lag is at most one block of
#   its sound (1333 us), in the first measurement of tickdrum plus one step of the card.
# - A Tutti peer with sticks.yaml. Expected: the lag and the transfer are those of the peer's own trace, within 500 us and
#   0.05. The device settles after both tempo steps. No lost tick shifts it by more than a quarter of a tick.
#
# tickdrum is measured a second time from the file of the clock and a recording that has no time reference, as that of another
# machine. Expected: the same, with a drift of the recorder within three standard errors, and without a delay.
#
# The loopback card moves by 4 ms at once. In the second measurement of tickdrum, it moves by one block.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-40}
tools tickdrum linkcap cardtimer

# measured NAME PORT: measures the device at a sequencer port.
measured() {
  "$TUTTI" measure follower "alsa:$2" --listen hw:Loopback,1,0 --sounds-per-quarter 2 --seconds "$seconds" \
    --save "$results/$1.jsonl" --json >"$results/$1-report.json" 2>"$results/$1-report.log" || complain "$1: not measured"
  sed "s|$TUTTI|tutti|g" "$results/$1-report.log" "$results/$1-report.json"
}
# within WHAT VALUE EXPECTED TOLERANCE: complains if a figure is not as expected.
within() {
  awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN {d = a - b; exit !(a != "" && d <= t && d >= -t)}' || complain "$1: $2, expected $3"
}

# The peer needs a clock port to have a clock input. The clock comes from another port.
peer ben --midi --clock-from "VirMIDI 2-0" --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --port 5004
ben=$!
ready ben
sleep 2
measured ben "ben:clock in"
kill -INT "$ben"
wait "$ben"
truth=$(followed.py "$results/ben.jsonl" "$results/ben.trace")
echo "by the trace of the peer: $truth"
ben=$results/ben-report.json
within "lag of the peer" "$(pick "$ben" steps.0.lag_us)" "$(figure lag <<<"$truth")" 500
within "transfer of the peer" "$(pick "$ben" transfer.ratio)" "$(figure transfer <<<"$truth")" 0.05
[[ $(pick "$ben" kept_losses) == 4 ]] || complain "the peer is shifted by a lost tick"
for step in 0 1; do pick "$ben" steps.$step.settling_s >/dev/null || complain "the peer did not settle"; done
# synthesized FRAMES: starts fluidsynth, with periods of FRAMES frames on the loopback card, and tickdrum connected to it.
synthesized() {
  fluidsynth -q -i -s -R 0 -C 0 -r 48000 -z "$1" -a alsa -o audio.alsa.device=plughw:Loopback,0,0 -m alsa_seq -p fluidsynth \
    "$soundfont" >>"$results/fluidsynth.log" 2>&1 &
  synthesizer=$!
  await 20 "fluidsynth" address fluidsynth fluidsynth
  tickdrum fluidsynth:fluidsynth &
  drum=$!
  await 10 "port tickdrum:in" address tickdrum in
  sleep 2
}
# silenced: ends fluidsynth and tickdrum.
silenced() {
  kill "$drum" "$synthesizer"
  wait "$drum" "$synthesizer" || true
}
synthesized 64
measured drum tickdrum:in
silenced
# snd-dummy drives the loopback card with an interrupt every 64 frames. All streams of the card then need this period. The
# capture of Tutti has another period, so linkcap records.
card unload
cardtimer hw:0,0 64 &
card load timer_source=hw:0
synthesized 64
linkcap --period 64 "$((seconds * 15 / 2 + 5))" "$results/again" hw:Loopback,1,0 >"$results/linkcap.txt" &
recorder=$!
sleep 1
"$TUTTI" measure follower alsa:tickdrum:in --seconds "$seconds" --save "$results/again.jsonl"
wait "$recorder"
"$TUTTI" measure follower "$results/again.jsonl" --listen "$results/again0.wav" --sounds-per-quarter 2 --json \
  >"$results/again-report.json"
silenced
for case in drum:5333 again:1333; do
  report=$results/${case%:*}-report.json lag=${case#*:}
  transfer=$(pick "$report" transfer.ratio)
  within "transfer of tickdrum" "$transfer" 1 0.2
  for step in 0 1; do
    within "lag of tickdrum" "$(pick "$report" steps.$step.lag_us)" 0 "$lag"
    within "settling of tickdrum" "$(pick "$report" steps.$step.settling_s)" 0 0.3
  done
  for loss in 0 1 2 3; do within "shift of tickdrum" "$(pick "$report" losses.$loss.shift_ticks)" 1 0.1; done
done
within "drift of the recorder" "$(pick "$results/again-report.json" recorder_drift_ppm)" 0 \
  "$(pick "$results/again-report.json" recorder_drift_standard_error_ppm | awk '{print 3 * $1}')"
within "standard error of the drift" "$(pick "$results/again-report.json" recorder_drift_standard_error_ppm)" 0 20
grep -q '"delay_us"' "$results/again-report.json" && complain "a delay without a common clock"

[[ $failures == 0 ]] && verdict=pass || verdict=fail
result "$verdict" "$transfer" 1
