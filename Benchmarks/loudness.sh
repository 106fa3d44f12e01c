#!/usr/bin/env bash
# loudness.sh [PATCH...]
#
# Measures the loudness of all rhythms in Patches/rhythms and then of all instruments in Patches/instruments, or of the named
# patches, with the filter ebur128 of ffmpeg (EBU R 128). Each patch is rendered for 8 bars: a rhythm at the activities 0, 32, 64, 96
# and 127, an instrument at 64 and 127. The force of the simulated player of an instrument has the same value as its activity.
# Prints the integrated loudness in LUFS, and the true peak at activity 127 in dBTP.
#
# Expected: -20 LUFS within 2 at activity 64; a true peak of at most -1 dBTP; for a rhythm, a loudness that rises with the
# activity. Exit status 1 otherwise.
#
# TUTTI names another program than the release build, and SOUNDFONT another SoundFont than TimGM6mb.
#
# Needs ffmpeg and the release build: swift build -c release --product tutti
set -euo pipefail
cd "$(dirname "$0")/.."
command -v ffmpeg >/dev/null || { echo "loudness.sh: ffmpeg is missing; install the package ffmpeg" >&2; exit 69; }
tutti=${TUTTI:-.build/release/tutti}
soundfont=${SOUNDFONT:-/usr/share/sounds/sf2/TimGM6mb.sf2}
export TUTTI_PATCHES=$PWD/Patches
names=("$@")
[[ $# != 0 ]] || for file in Patches/rhythms/*.yaml Patches/instruments/*.yaml; do names+=("$(basename "$file" .yaml)"); done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure NAME ACTIVITY: prints the integrated loudness and the true peak.
measure() {
  "$tutti" patch render "$1" --soundfont "$soundfont" --activity "$2" --bars 8 --output "$folder/$2.wav" >"$folder/$2.log"
  ffmpeg -hide_banner -nostats -nostdin -i "$folder/$2.wav" -af ebur128=peak=true -f null - 2>&1 |
    awk '/Summary:/ {on = 1} on && $1 == "I:" {i = $2} on && $1 == "Peak:" {p = $2} END {print i, p}'
}

failed=0
printf '%-15s %7s %7s %7s %7s %7s %9s\n' "LUFS at" 0 32 64 96 127 "peak 127"
for name in "${names[@]}"; do
  activities=(0 32 64 96 127)
  [[ ! -e Patches/instruments/$name.yaml ]] || activities=(64 127)
  rm -f "$folder"/*
  # All activities at the same time.
  for activity in "${activities[@]}"; do measure "$name" "$activity" >"$folder/$activity.txt" & done
  wait
  declare -A row=([0]=- [32]=- [96]=-)
  previous=-100 note=
  for activity in "${activities[@]}"; do
    read -r loudness peak <"$folder/$activity.txt"
    row[$activity]=$loudness
    [[ ${#activities[@]} != 5 ]] || awk "BEGIN {exit !($loudness > $previous)}" || note+=" not louder at $activity;"
    [[ $activity != 64 ]] || awk "BEGIN {exit !($loudness >= -22 && $loudness <= -18)}" || note+=" $loudness LUFS at 64;"
    previous=$loudness
  done
  awk "BEGIN {exit !($peak <= -1)}" || note+=" peak $peak dBTP;"
  printf '%-15s %7s %7s %7s %7s %7s %9s%s\n' "$name" "${row[0]}" "${row[32]}" "${row[64]}" "${row[96]}" "${row[127]}" "$peak" "$note"
  [[ -z $note ]] || failed=$((failed + 1))
done
echo "${#names[@]} patches, $failed outside the limits"
[[ $failed == 0 ]]
