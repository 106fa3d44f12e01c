#!/usr/bin/env bash
# study-onsets.sh [RUNS]
#
# The onset test of the study of 2012: two devices play the same drum rhythm, 6 s are recorded, and the onsets of both recordings
# are compared. The study: differences of 4 to 16 ms, with changing sign. Two hosts of this machine, with the network of
# study-ping.sh between them, RUNS (10) times. Each peer plays sticks.yaml at 120 BPM into a recording, by its own clock. The
# first second after the peers met is skipped, and the next 6 s are compared by `tutti measure audio`.
#
# Expected: all 24 hits are in both recordings of every run, and no difference exceeds 4 ms, the smallest difference of the
# study.
#
# The recordings contain no sound card. On real devices: see the article HardwareProtocol of Measurement.
set -euo pipefail
runs=${1:-10} shape="2300 400 0"
reference="1 study_2012 difference_max_us 16000
"
source "$(dirname "$0")/Lab/relayed.sh"

# play: records both peers for 9 s of the rhythm.
play() {
  local second status=0
  peer 2 --patch "$lab/sticks.yaml" --audio "wav:$results/2.wav" --duration 40
  second=$!
  ready 2
  peer 1 --patch "$lab/sticks.yaml" --audio "wav:$results/1.wav" --connect 10.98.1.254:5004 --start --bpm 120 --duration 10
  wait $! || status=1
  stop "$second"
  return "$status"
}

complain() { echo "not as expected: run $run: $1"; failures=$((failures + 1)); }
for run in $(seq "$runs"); do
  rm -f "$results"/*.wav
  relayed "$run" play || complain "a peer ended with an error"
  "$TUTTI" measure audio --clock-ahead "${ahead[1]}" "${ahead[2]}" --csv -- "$results"/[12].wav >"$results/hits.csv"
  onsetwindow.py 1 7 24 "$results/hits.csv" >"$results/window.txt" || complain "hits are missing"
  record "$run" tutti <"$results/window.txt"
  echo "run $run: $(cat "$results/window.txt")"
  awk -F '[ =]' '{exit !($4 < 4000)}' "$results/window.txt" || complain "a difference above 4 ms"
done
echo "the study of 2012: difference_us=4000...16000, sign changing"
conclude "$runs"
