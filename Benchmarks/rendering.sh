#!/usr/bin/env bash
# rendering.sh [ACTIVITY...]
#
# How fast does one core render the library? Renders 16 bars of all rhythms and instruments in Patches at each ACTIVITY (64 127), on
# one processor, and prints the duration of the sound, the processor time of the program with its start, and their ratio.
#
# Expected: the whole library is rendered at least 50 times faster than it sounds, at each activity. Exit status 1 otherwise.
#
# TUTTI names another program than the release build.
#
# Needs ffprobe, time and the release build: swift build -c release --product tutti
set -euo pipefail
cd "$(dirname "$0")/.."
for program in ffprobe /usr/bin/time; do
  command -v "$program" >/dev/null || { echo "rendering.sh: $program is missing; install the packages ffmpeg and time" >&2; exit 69; }
done
tutti=${TUTTI:-.build/release/tutti}
export TUTTI_PATCHES=$PWD/Patches
[[ $# != 0 ]] || set -- 64 127
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure NAME ACTIVITY: prints the duration of the sound and the processor time, in seconds.
measure() {
  /usr/bin/time -o "$folder/time.txt" -f '%U %S' taskset 1 "$tutti" patch render "$1" --activity "$2" --bars 16 \
    --output "$folder/render.wav" >"$folder/render.log"
  echo "$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$folder/render.wav") $(cat "$folder/time.txt")"
}

failed=0
for activity in "$@"; do
  for file in Patches/rhythms/*.yaml Patches/instruments/*.yaml; do
    name=$(basename "$file" .yaml)
    echo "$name $(measure "$name" "$activity")"
  done | awk -v activity="$activity" '
    BEGIN {printf "%-15s %8s %8s %6s\n", "activity " activity, "sound", "core", "ratio"}
    {time = $3 + $4; sound += $2; core += time; printf "%-15s %6.1f s %6.2f s %6.0f\n", $1, $2, time, $2 / time}
    END {printf "%-15s %6.0f s %6.1f s %6.0f\n", "library", sound, core, sound / core; exit sound < 50 * core}' || failed=1
done
exit "$failed"
