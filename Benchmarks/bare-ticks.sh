#!/usr/bin/env bash
# bare-ticks.sh [SEEDS]
#
# Compares followers of clock ticks without time stamps: published followers and Tutti, and Tutti with hostile tick trains.
# Writes the tables to results/bare-ticks.txt. Plots the phase error around the step from 120 to 140 BPM (seed 1) in
# results/bare-ticks.svg if gnuplot is installed (apt-get install gnuplot-nox).
set -euo pipefail
cd "$(dirname "$0")"
seeds=${1:-20}
swift build -c release --product baretick >&2
{
  echo "\$ .build/release/baretick --seeds $seeds"
  .build/release/baretick --seeds "$seeds"
} | tee results/bare-ticks.txt
command -v gnuplot >/dev/null || { echo "bare-ticks.sh: gnuplot: not installed, no plot; run apt-get install gnuplot-nox" >&2; exit 0; }
series=$(mktemp)
trap 'rm -f "$series"' EXIT
.build/release/baretick --series 1 >"$series"
gnuplot <<PLOT
set terminal svg size 900,420 font "sans,12" background "white"
set output "results/bare-ticks.svg"
set title "Phase error of ticks without time stamps, late by |N(0, 1 ms)|, step from 120 to 140 BPM"
set xlabel "seconds from the step"
set ylabel "milliseconds"
set key outside right noenhanced
set grid
plot for [n=0:5] "$series" index n using 1:2 with lines lw (n == 5 ? 3 : 1) title columnheader(1)
PLOT
