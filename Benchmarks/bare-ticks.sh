#!/usr/bin/env bash
# bare-ticks.sh [SEEDS]
#
# Published followers of bare clock ticks beside Tutti's, and Tutti's on hostile trains: the tables go to
# results/bare-ticks.txt, the error of phase through the step from 120 to 140 BPM (seed 1) to results/bare-ticks.svg,
# which takes gnuplot (apt-get install gnuplot-nox) and is left out without.
set -euo pipefail
cd "$(dirname "$0")"
seeds=${1:-20}
swift build -c release --product baretick >&2
{
  echo "\$ .build/release/baretick --seeds $seeds"
  .build/release/baretick --seeds "$seeds"
} | tee results/bare-ticks.txt
command -v gnuplot >/dev/null || { echo "bare-ticks.sh: no gnuplot, so no plot" >&2; exit 0; }
series=$(mktemp)
trap 'rm -f "$series"' EXIT
.build/release/baretick --series 1 >"$series"
gnuplot <<PLOT
set terminal svg size 900,420 font "sans,12" background "white"
set output "results/bare-ticks.svg"
set title "Bare ticks late by |N(0, 1 ms)|, from 120 to 140 BPM: error of phase"
set xlabel "seconds from the step"
set ylabel "milliseconds"
set key outside right noenhanced
set grid
plot for [n=0:5] "$series" index n using 1:2 with lines lw (n == 5 ? 3 : 1) title columnheader(1)
PLOT
