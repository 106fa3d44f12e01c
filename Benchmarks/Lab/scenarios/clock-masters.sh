#!/usr/bin/env bash
# clock-masters.sh [RUNS] [SECONDS]
#
# How even are the ticks of Tutti's MIDI clock, compared with the clocks that a user of Linux would choose? Three masters, one
# after the other, RUNS (10) times, in alternating order, at 119.3 BPM for SECONDS (10):
#   tutti            tutti peer --midi, port ada:clock
#   jack_midi_clock  on jackd, dummy driver, periods of 128 frames at 48 kHz, connected to the sequencer by a2jmidid
#   aplaymidi        a MIDI file with escaped F8 octets, through a queue of the sequencer
# An independent subscriber gets the kernel's time stamp of each tick. a2jmidid and aplaymidi send to Midi Through, to which
# it subscribes. The schedules of jack_midi_clock and aplaymidi are not known. The figures are therefore those of the
# intervals, and of the phase relative to the line through the ticks of the run.
#
# Expected: from the 25th tick on, every master has every tick in every run. There is no limit for the figures.
#
# Debian packages: jackd2 jack-midi-clock a2jmidid
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/runs.sh"
runs=${1:-10} seconds=${2:-10} bpm=119.3
through="Midi Through:Midi Through Port-0"
tools seqstamps
midifile.py ticks $bpm $((seconds + 3)) "$scratch/ticks.mid"

# subscribe PORT: stamps the ticks of the port, in the background, until `finished`.
subscribe() { seqstamps "$1" $((seconds + 50)) >"$results/stamps.txt" & subscriber=$!; }
finished() { kill "$subscriber" && wait "$subscriber"; }

play_tutti() {
  # The start is announced 2 s in advance, so that the subscriber has time to connect.
  peer ada --midi --audio none --start --bpm $bpm --lead-time 2000 --duration $((seconds + 3))
  local ada=$!
  subscribe ada:clock
  wait "$ada"
  finished
}

play_jack_midi_clock() {
  local programs=()
  jackd -R -P 70 -d dummy -r 48000 -p 128 >"$results/jackd.log" 2>&1 & programs+=($!)
  # `jack_wait -c` ends with status 0 even if the server does not run yet.
  jack_wait -w -t 20 >/dev/null
  a2jmidid -e >"$results/a2jmidid.log" 2>&1 & programs+=($!)
  jack_midi_clock -b $bpm -P >"$results/jack_midi_clock.log" 2>&1 & programs+=($!)
  await 10 "the bridge to Midi Through" eval 'jack_lsp | grep "a2j:Midi Through.*playback"'
  await 10 "the port of jack_midi_clock" eval 'jack_lsp | grep "^jack_midi_clock"'
  subscribe "$through"
  jack_connect "$(jack_lsp | grep ^jack_midi_clock)" "$(jack_lsp | grep 'a2j:Midi Through.*playback')"
  echo play | jack_transport >/dev/null
  sleep $((seconds + 5))
  finished
  kill "${programs[@]}"
  wait "${programs[@]}" || true
}

play_aplaymidi() {
  subscribe "$through"
  sleep 0.5
  aplaymidi -p 14:0 "$scratch/ticks.mid"
  finished
}

# Each master runs once before the measurement, so that the programs are in memory.
for master in tutti jack_midi_clock aplaymidi; do seconds=1 "play_$master"; done
machine_latency 10
for run in $(seq "$runs"); do
  for master in $(order "$run" tutti jack_midi_clock aplaymidi); do
    start_phase "$run"
    "play_$master"
    mv "$results/stamps.txt" "$results/$master-$run.stamps"
    tickjitter.py $bpm "$seconds" "$results/$master-$run.stamps" >"$results/jitter.txt" || complain "run $run of $master"
    record "$run" "$master" <"$results/jitter.txt"
  done
done
echo "jackd2 $(dpkg-query -W -f '${Version}' jackd2), jack-midi-clock $(dpkg-query -W -f '${Version}' jack-midi-clock)," \
  "a2jmidid $(dpkg-query -W -f '${Version}' a2jmidid), alsa-utils $(dpkg-query -W -f '${Version}' alsa-utils)"
table "$runs"
