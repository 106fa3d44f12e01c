#!/usr/bin/env bash
# loudness.sh [PATCH...]
#
# Measures the loudness of the rhythms in Patches/rhythms, or of the named ones, with the filter ebur128 of ffmpeg (EBU R 128).
# Each rhythm is rendered for 8 bars at the activities 0, 32, 64, 96 and 127. Prints the integrated loudness in LUFS, and the true
# peak at activity 127 in dBTP.
#
# Expected: -20 LUFS within 2 at activity 64; a loudness that rises with the activity; a true peak of at most -1 dBTP. Exit
# status 1 otherwise.
#
# Needs ffmpeg and the release build: swift build -c release --product tutti
set -euo pipefail
cd "$(dirname "$0")/.."
command -v ffmpeg >/dev/null || { echo "loudness.sh: ffmpeg is missing; install the package ffmpeg" >&2; exit 69; }
names=("$@")
[[ $# != 0 ]] || for file in Patches/rhythms/*.yaml; do names+=("$(basename "$file" .yaml)"); done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measure NAME ACTIVITY: prints the integrated loudness and the true peak.
measure() {
  .build/release/tutti patch render "$1" --activity "$2" --bars 8 --output "$folder/render.wav" >"$folder/render.log"
  ffmpeg -hide_banner -nostats -i "$folder/render.wav" -af ebur128=peak=true -f null - 2>&1 |
    awk '/Summary:/ {on = 1} on && $1 == "I:" {i = $2} on && $1 == "Peak:" {p = $2} END {print i, p}'
}

failed=0
printf '%-14s %7s %7s %7s %7s %7s %9s\n' "LUFS at" 0 32 64 96 127 "peak 127"
for name in "${names[@]}"; do
  row=() previous=-100 note=
  for activity in 0 32 64 96 127; do
    read -r loudness peak < <(measure "$name" "$activity")
    row+=("$loudness")
    awk "BEGIN {exit !($loudness > $previous)}" || note+=" not louder at $activity;"
    [[ $activity != 64 ]] || awk "BEGIN {exit !($loudness >= -22 && $loudness <= -18)}" || note+=" $loudness LUFS at 64;"
    previous=$loudness
  done
  awk "BEGIN {exit !($peak <= -1)}" || note+=" peak $peak dBTP;"
  printf '%-14s %7s %7s %7s %7s %7s %9s%s\n' "$name" "${row[@]}" "$peak" "$note"
  [[ -z $note ]] || failed=$((failed + 1))
done
echo "${#names[@]} rhythms, $failed outside the limits"
[[ $failed == 0 ]]
