#!/usr/bin/env bash
# players.sh [RUNS] [SECONDS]
#
# How exactly does Tutti place hits on the grid, compared with the players that a user of Linux would choose? Three players
# play a side stick on every eighth note at 120 BPM to the loopback card, RUNS (10) times, in alternating order, for SECONDS (8):
#   tutti             tutti peer with sticks.yaml
#   fluidsynth        the fluidsynth program plays a MIDI file
#   aplaymidi         aplaymidi plays the same file to the fluidsynth program through the sequencer
# All use the same SoundFont. The audio buffers are those of each program's defaults. The deviation of a hit is from a grid of
# 12 000 frames whose origin is the median of the hits of the run.
#
# Expected: all hits of every player are recorded, in every run. There is no limit for the figures.
#
# /out contains the recordings of the first run.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/runs.sh"
runs=${1:-10} seconds=${2:-8}
tools linkcap
midifile.py sticks "$seconds" "$scratch/sticks.mid"
synth=(fluidsynth -q -R 0 -C 0 -r 48000 -a alsa -o audio.alsa.device=hw:Loopback,0,0)

# recording SECONDS: records the card for SECONDS in the background.
recording() { linkcap "$1" "$results/hits" hw:Loopback,1,0 >"$results/linkcap.txt" & recorder=$!; }

play_tutti() {
  recording $((seconds + 4))
  peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --start --bpm 120 --duration "$seconds"
  wait $!
  wait "$recorder"
}

play_fluidsynth() {
  recording $((seconds + 4))
  "${synth[@]}" -n -i "$soundfont" "$scratch/sticks.mid" >"$results/fluidsynth.log" 2>&1
  wait "$recorder"
}

play_aplaymidi() {
  "${synth[@]}" -s -i -m alsa_seq "$soundfont" </dev/null >"$results/aplaymidi.log" 2>&1 &
  local server=$! port
  await 10 "the port of fluidsynth" eval 'aconnect -o | grep FLUID'
  await 10 "the sound of fluidsynth" playing
  port=$(aconnect -o | awk '/FLUID/ {sub(":", "", $2); print $2}')
  recording $((seconds + 3))
  sleep 0.5
  aplaymidi -p "$port:0" "$scratch/sticks.mid"
  wait "$recorder"
  kill "$server"
  wait "$server" || true
}

# Each player plays once before the measurement, so that the programs are in memory.
for player in tutti fluidsynth aplaymidi; do seconds=2 "play_$player"; done
for run in $(seq "$runs"); do
  for player in $(order "$run" tutti fluidsynth aplaymidi); do
    start_phase "$run"
    "play_$player"
    griddeviation.py 12000 "$((4 * seconds - 2))" "$results/hits0.wav" >"$results/deviation.txt" ||
      complain "run $run of $player"
    record "$run" "$player" <"$results/deviation.txt"
    if ((run == 1)); then mv "$results/hits0.wav" "$results/$player.wav"; fi
  done
done
rm -f "$results"/hits*
echo "fluidsynth $(dpkg-query -W -f '${Version}' fluidsynth), alsa-utils $(dpkg-query -W -f '${Version}' alsa-utils)"
table "$runs"
