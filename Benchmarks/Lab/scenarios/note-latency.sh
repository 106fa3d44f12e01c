#!/usr/bin/env bash
# note-latency.sh [NOTES [PERIOD...]]
#
# How soon does a note sound? Side sticks go to the ALSA input port of a peer that plays to the loopback card, which is
# recorded. The latency of a note is the time from the kernel time stamp of its Note On to its first frame in the recording.
# For each PERIOD (64 128 256), four times NOTES (100) notes are played:
# - idle: the machine does nothing else.
# - stress: stress-ng loads the processor with four normal processes.
# - flood: an RTP-MIDI device sends 10 000 events per second.
# - join: five peers join and leave, one after the other.
# Then the stock fluidsynth program plays the same notes with its own settings.
#
# snd-dummy drives the loopback card, with an interrupt every 64 frames. Otherwise the card moves by 192 frames at once. All
# programs use the loopback card with an interrupt every 64 frames. The scenario prints the position step of the card.
#
# Expected: p50 is at most the period + 1 ms, p99 is at most the period (or the position step, if it is longer) + 3 ms. The
# p50 and p99 of fluidsynth are greater than those of the peer. No note is missing. Notes are excluded while the loopback card
# stands still, because the clock of the guest jumps; at most a tenth of the notes.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
notes=${1:-100}
shift || true
[[ $# != 0 ]] || set -- 64 128 256
tools linkcap notes cardtimer rtpflood
fluidsynth --version >/dev/null
stress-ng --cpu 4 --timeout 1 --quiet >/dev/null 2>&1 || true

card unload
cardtimer hw:0,0 64 &
card load timer_source=hw:0

# record NAME PHASES: records the loopback card in the background, for this number of phases.
record() {
  linkcap --period 64 $(($2 * (notes * 16 / 100 + 6) + 4)) "$results/$1" hw:Loopback,1,0 >/dev/null &
  recorder=$!
  sleep 1
}
# play NAME PHASE PORT: plays the notes of a phase to a port.
play() { notes "$3" "$notes" >"$results/$1-$2.txt"; }
# latencies NAME PHASE: prints the figures of the notes of a phase.
latencies() { latency.py "$results/$1" "$results/$1-$2.txt"; }

# pause SECONDS: sleeps without a program, see `joiners`.
mkfifo "$scratch/never"
exec 9<>"$scratch/never"
pause() { read -rt "$1" -u 9 || true; }
# joiners: starts five peers and stops them before they can connect. The clock of the guest jumps while it loads a program from
# the host, so no program may be started during a phase.
joiners() {
  local number
  joiners=()
  for number in {1..5}; do
    peer "joiner-$number" --audio none --port $((6000 + 10 * number)) --connect 127.0.0.1:5004
    joiners+=($!)
    ready "joiner-$number"
    kill -STOP $!
  done
}
stay=$(awk -v notes="$notes" 'BEGIN {printf "%.2f", notes * 0.03 - 0.3}')
# join: lets one peer after the other join and leave during a phase of NOTES * 0.15 s.
join() {
  local joiner
  for joiner in "${joiners[@]}"; do
    kill -CONT "$joiner"
    pause "$stay"
    kill -INT "$joiner"
    pause 0.3
  done
}

for period in "$@"; do
  name=period-$period
  joiners
  record "$name" 4
  peer "$name" --midi --audio alsa:hw:Loopback,0,0 --period "$period" --port 5004
  player=$!
  ready "$name"
  sleep 2
  play "$name" idle "$name:in"
  stress-ng --cpu 4 --quiet >/dev/null 2>&1 &
  load=$!
  play "$name" stress "$name:in"
  kill "$load"
  wait "$load" || true
  rtpflood 127.0.0.1 5004 $((notes * 16 / 100 + 3)) >"$results/$name-rtpflood.txt" &
  load=$!
  sleep 1
  play "$name" flood "$name:in"
  wait "$load"
  join &
  load=$!
  play "$name" join "$name:in"
  wait "$load" "${joiners[@]}"
  kill -INT "$player"
  wait "$player" "$recorder"
done

record fluidsynth 1
fluidsynth -q -i -s -R 0 -C 0 -r 48000 -a alsa -o audio.alsa.device=hw:Loopback,0,0 -m alsa_seq -p fluidsynth \
  /usr/share/sounds/sf2/default-GM.sf2 >"$results/fluidsynth.log" 2>&1 &
player=$!
await 20 "fluidsynth" address fluidsynth fluidsynth
sleep 2
play fluidsynth idle fluidsynth:fluidsynth
kill "$player"
wait "$player" || true
wait "$recorder"

stock=$(latencies fluidsynth idle)
step=$(figure step <<<"$stock")
echo "position step of the loopback card: $step frames"
echo "fluidsynth: $stock"
excess=-1000
for period in "$@"; do
  name=period-$period
  for phase in idle stress flood join; do
    report=$(latencies "$name" "$phase")
    echo "period $period, $phase: $report"
    p50=$(figure p50 <<<"$report") p99=$(figure p99 <<<"$report")
    limits=$(awk -v period="$period" -v step="$step" 'BEGIN {
      printf "%.2f %.2f", period / 48 + 1, (period > step ? period : step) / 48 + 3}')
    read -r median most <<<"$limits"
    at_most "$p50" "$median" || complain "period $period, $phase: p50 is $p50 ms, more than $median ms"
    at_most "$p99" "$most" || complain "period $period, $phase: p99 is $p99 ms, more than $most ms"
    at_most "$p50" "$(figure p50 <<<"$stock")" && at_most "$p99" "$(figure p99 <<<"$stock")" ||
      complain "period $period, $phase: fluidsynth is faster"
    [[ $(figure missing <<<"$report") == 0 ]] || complain "period $period, $phase: missing notes"
    (($(figure excluded <<<"$report") * 10 <= notes)) || complain "period $period, $phase: many excluded notes"
    # The largest p99 minus the period.
    excess=$(awk -v a="$excess" -v p99="$p99" -v period="$period" 'BEGIN {
      b = p99 - period / 48; printf "%.2f", (a > b ? a : b)}')
  done
  grep '^sound' "$results/$name.log" | paste -sd '|'
  echo "period $period: $(cat "$results/$name-rtpflood.txt") events, underruns=$(pick "$results/$name.json" underruns)" \
    "midi_dropped=$(pick "$results/$name.json" midi_dropped) joins=$(grep -c '"joined"' "$results/$name.json")"
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "period+${excess}ms" period+3ms
