#!/usr/bin/env bash
# note-latency.sh [NOTES [PERIOD...]]
#
# How soon does a note sound? Side sticks go to a peer that plays to the loopback card, which is recorded: first to its ALSA input
# port, then from an RTP-MIDI device on another host of the network lan (a delay of 0.5 ms). The latency of a note is the time from
# the kernel time stamp of the arrival of its Note On to its first frame in the recording. For each PERIOD (64 128 256) and each
# of the two inputs, four times NOTES (100) notes are played:
# - idle: the machine does nothing else.
# - stress: stress-ng loads the processor with four normal processes.
# - flood: 10 000 events per second arrive at the other input.
# - join: five peers join and leave, one after the other.
# Then the stock fluidsynth program plays the notes of the ALSA port with its own settings.
#
# snd-dummy drives the loopback card, with an interrupt every 64 frames. Otherwise the card moves by 192 frames at once. All
# programs use the loopback card with an interrupt every 64 frames. The scenario prints the position step of the card.
#
# Expected: p50 is at most the period + 1 ms, p99 is at most the period (or the position step, if it is longer) + 3 ms. The
# limit of p99 also holds from the instant at which the device sent the note. The p50 and p99 of fluidsynth are greater than those
# of the peer. No note is missing. Notes are excluded while the loopback card stands still, because the clock of the guest jumps;
# at most a tenth of the notes.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
notes=${1:-100}
shift || true
[[ $# != 0 ]] || set -- 64 128 256
tools linkcap notes rtpnotes cardtimer rtpflood flood
fluidsynth --version >/dev/null
stress-ng --cpu 4 --timeout 1 --quiet >/dev/null 2>&1 || true

card unload
cardtimer hw:0,0 64 &
card load timer_source=hw:0
# The player runs outside the hosts, on the bridge. The device sends from host 1.
hosts 1 lan
ip address add 10.99.0.9/24 dev lab0

# record NAME PHASES: records the loopback card in the background, for this number of phases.
record() {
  linkcap --period 64 $(($2 * (notes * 16 / 100 + 6) + 4)) "$results/$1" hw:Loopback,1,0 >/dev/null &
  recorder=$!
  sleep 1
}
# play NAME PHASE PORT: plays the notes of a phase to an ALSA port.
play() { notes "$3" "$notes" >"$results/$1-$2.txt"; }
# send NAME PHASE: sends the notes of a phase from the device.
send() { rtpnotes host1 lab0 10.99.0.9 5004 "$notes" >"$results/$1-$2.txt"; }
# latencies NAME PHASE: prints the figures of the notes of a phase.
latencies() { latency.py "$results/$1" "$results/$1-$2.txt"; }

# pause SECONDS: sleeps without a program, see `joiners`.
mkfifo "$scratch/never"
exec 9<>"$scratch/never"
pause() { read -rt "$1" -u 9 || true; }
# joiners: starts ten peers, five for each input, and stops them before they can connect. The clock of the guest jumps while it loads a program from
# the host, so no program may be started during a phase.
joiners() {
  local number
  joiners=()
  for number in {1..10}; do
    peer "joiner-$number" --audio none --port $((6000 + 10 * number)) --connect 127.0.0.1:5004
    joiners+=($!)
    ready "joiner-$number"
    kill -STOP $!
  done
}
stay=$(awk -v notes="$notes" 'BEGIN {printf "%.2f", notes * 0.03 - 0.3}')
# join FIRST: lets five peers, one after the other, join and leave during a phase of NOTES * 0.15 s.
join() {
  local joiner
  for joiner in "${joiners[@]:$1:5}"; do
    kill -CONT "$joiner"
    pause "$stay"
    kill -INT "$joiner"
    pause 0.3
  done
}

for period in "$@"; do
  name=period-$period
  joiners
  record "$name" 8
  peer "$name" --midi --audio alsa:hw:Loopback,0,0 --period "$period" --port 5004
  player=$!
  ready "$name"
  sleep 2
  # inject INPUT PHASE: plays the notes of a phase by one of the inputs.
  inject() { if [[ $1 == alsa ]]; then play "$name" "$1-$2" "$name:in"; else send "$name" "$1-$2"; fi; }
  for input in alsa rtp; do
    inject $input idle
    stress-ng --cpu 4 --quiet >/dev/null 2>&1 &
    load=$!
    inject $input stress
    kill "$load"
    wait "$load" || true
    length=$((notes * 16 / 100 + 3))
    if [[ $input == alsa ]]; then
      rtpflood 127.0.0.1 5004 "$length" >"$results/$name-flood-rtp.txt" &
    else
      flood "$name:in" "$length" 10000 silent >"$results/$name-flood-alsa.txt" &
    fi
    load=$!
    sleep 1
    inject $input flood
    wait "$load"
    if [[ $input == alsa ]]; then join 0 & else join 5 & fi
    load=$!
    inject $input join
    wait "$load"
  done
  wait "${joiners[@]}"
  kill -INT "$player"
  wait "$player" "$recorder"
done

record fluidsynth 1
fluidsynth -q -i -s -R 0 -C 0 -r 48000 -a alsa -o audio.alsa.device=hw:Loopback,0,0 -m alsa_seq -p fluidsynth \
  "$soundfont" >"$results/fluidsynth.log" 2>&1 &
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
  for phase in {alsa,rtp}-{idle,stress,flood,join}; do
    report=$(latencies "$name" "$phase")
    echo "period $period, $phase: $report"
    p50=$(figure p50 <<<"$report") p99=$(figure p99 <<<"$report")
    limits=$(awk -v period="$period" -v step="$step" 'BEGIN {
      printf "%.2f %.2f", period / 48 + 1, (period > step ? period : step) / 48 + 3}')
    read -r median most <<<"$limits"
    at_most "$p50" "$median" || complain "period $period, $phase: p50 is $p50 ms, more than $median ms"
    at_most "$p99" "$most" || complain "period $period, $phase: p99 is $p99 ms, more than $most ms"
    total=$(figure sent_p99 <<<"$report")
    [[ $phase == alsa-* ]] || at_most "$total" "$most" ||
      complain "period $period, $phase: p99 is ${total:-missing} ms from the sending, more than $most ms"
    at_most "$p50" "$(figure p50 <<<"$stock")" && at_most "$p99" "$(figure p99 <<<"$stock")" ||
      complain "period $period, $phase: fluidsynth is faster"
    [[ $(figure missing <<<"$report") == 0 ]] || complain "period $period, $phase: missing notes"
    (($(figure excluded <<<"$report") * 10 <= notes)) || complain "period $period, $phase: many excluded notes"
    # The largest p99 minus the period.
    excess=$(awk -v a="$excess" -v p99="$p99" -v period="$period" 'BEGIN {
      b = p99 - period / 48; printf "%.2f", (a > b ? a : b)}')
  done
  grep '^sound' "$results/$name.log" | paste -sd '|'
  echo "period $period: floods: $(cat "$results/$name-flood-rtp.txt"), $(cat "$results/$name-flood-alsa.txt"), underruns=$(pick "$results/$name.json" underruns)" \
    "midi_dropped=$(pick "$results/$name.json" midi_dropped) joins=$(grep -c '"joined"' "$results/$name.json")"
done
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "period+${excess}ms" period+3ms
