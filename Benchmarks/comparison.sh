#!/usr/bin/env bash
# comparison.sh [--runs N] [TABLE...]
#
# Compares Tutti with the alternatives that a user would choose, and repeats the two tests of the study of 2012. Runs all tables,
# or the named ones, as root on this machine:
#   clock-masters             jack_midi_clock and aplaymidi as MIDI clocks, in the lab
#   players                   fluidsynth, and aplaymidi with fluidsynth, as players, in the lab
#   snapcast-lan, -wifi       Snapcast: onsets of two clients, in the lab
#   chrony-lan, -wifi         chrony: the estimate of another machine's clock
#   study-ping, study-onsets  the two tests of the study of 2012
#   link                      Ableton Link: the offset between two timelines, from results/side-by-side-*.txt, which
#                             `Lab/all.sh side-by-side-still ...` measures
# Each table has N (10) runs. Installs the Debian packages of the alternatives. For each table, the command, the date, the commit
# and the output are written to results/comparison-TABLE.txt, and the plot to results/comparison-TABLE.svg. Exit status 1 if a
# table failed.
#
# Needs the release build: swift build -c release --product tutti; or set TUTTI=PROGRAM.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "comparison.sh: $2" >&2; exit "$1"; }
runs=10
if [[ ${1-} == --runs ]]; then
  [[ ${2-} =~ ^[1-9][0-9]*$ ]] || fail 64 "--runs ${2-}: not a number of runs; give a whole number"
  runs=$2
  shift 2
fi

# Name, script with arguments, title of the plot.
tables="
clock-masters Lab/scenarios/clock-masters.sh $runs|Ticks of MIDI clocks at 119.3 BPM
players      Lab/scenarios/players.sh $runs|Deviation of hits from the grid
snapcast-lan Lab/scenarios/snapcast.sh lan $runs|Difference between the onsets of two players, network lan
snapcast-wifi Lab/scenarios/snapcast.sh wifi $runs|Difference between the onsets of two players, network wifi
chrony-lan   chrony.sh lan $runs|Error of the estimated clock, network lan
chrony-wifi  chrony.sh wifi $runs|Error of the estimated clock, network wifi
study-ping   study-ping.sh $runs|Round trips of 50 requests
study-onsets study-onsets.sh $runs|Difference between the onsets of two devices, 6 s
"
for name in "$@"; do
  grep -q "^$name " <<<"link $tables" ||
    fail 64 "$name: no such table; give one of: link $(awk '{print $1}' <<<"$tables" | xargs)"
done
command -v gnuplot >/dev/null || fail 69 "gnuplot: not installed; run apt-get install gnuplot-nox"
export PATH=$PWD/Benchmarks/Lab/tools:$PATH

# provenance ARGUMENT...: the label and the provenance of a table.
provenance() {
  echo "\$ Benchmarks/comparison.sh $*"
  echo "software only: no radio, no crystal; $(date -u +%F), commit $(git rev-parse --short HEAD)"
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
selected=" $* "

if [[ $# == 0 || $selected == *" link "* ]]; then
  echo "== link"
  sources=()
  for network in still lan wifi busy poor; do sources+=("Benchmarks/results/side-by-side-$network.txt"); done
  comparison.py side-by-side "${sources[@]}" >"$out/runs.txt"
  {
    provenance link
    echo "from the results of: $(git log -1 --format=%h -- "${sources[@]}"), $(sed -n 's/^Ableton/Ableton/p' "${sources[1]}")"
    comparison.py table "$(awk '$1 > n {n = $1} END {print n}' "$out/runs.txt")" "$out/runs.txt"
  } | tee Benchmarks/results/comparison-link.txt
  comparison.py plot "$out/runs.txt" Benchmarks/results/comparison-link.svg \
    "Offset between two timelines, p95 from 10 to 40 s"
fi
[[ $selected != " link " ]] || exit 0

# Compiling takes seconds here and minutes in the guest. If it fails here, the guest compiles.
mkdir -p .build/lab-tools
for tool in seqstamps linkcap; do
  gcc -O2 -o ".build/lab-tools/$tool" "Benchmarks/Lab/tools/$tool.c" -lasound -lm 2>/dev/null || true
done

failed=0
while read -r name rest; do
  [[ -n $name ]] || continue
  [[ $# == 0 || $selected == *" $name "* ]] || continue
  read -ra words <<<"${rest%%|*}"
  script=Benchmarks/${words[0]} result=Benchmarks/results/comparison-$name
  packages=$(sed -n 's/^# Debian packages: //p' "$script")
  # shellcheck disable=SC2086 # several packages
  [[ -z $packages ]] || dpkg -s $packages >/dev/null 2>&1 ||
    $(command -v sudo) env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages
  echo "== $name"
  {
    provenance --runs "$runs" "$name"
    case $script in
      */scenarios/*)
        Benchmarks/Lab/lab --virtual --timeout 14400 --out "$out/$name" "$script" "${words[@]:1}" || echo "status $?"
        cp "$out/$name/runs.txt" "$out/$name.runs" || true ;;
      *) RUNS_FILE=$out/$name.runs "$script" "${words[@]:1}" || echo "status $?" ;;
    esac
  } </dev/null | tee "$result.txt"
  [[ ! -f $out/$name.runs ]] ||
    comparison.py plot "$out/$name.runs" "$result.svg" "${rest#*|}"
  grep -q "^RESULT .* pass " "$result.txt" || failed=$((failed + 1))
done <<<"$tables"
[[ $failed == 0 ]] || fail 1 "$failed tables failed; see Benchmarks/results"
