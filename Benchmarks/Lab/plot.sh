#!/usr/bin/env bash
# plot.sh FOLDER
#
# Plots Tutti and Ableton Link from the files of `all.sh --keep FOLDER side-by-side-still side-by-side-lan
# side-by-side-wifi side-by-side-busy side-by-side-poor` and writes to Benchmarks/results:
#   side-by-side.svg           the magnitude of the offset over time, one line per run: the maximum of each second
#   side-by-side-medians.svg   p95 from 10 to 40 s: all runs, the medians, and the limits
#
# Needs gnuplot: apt-get install gnuplot-nox
set -euo pipefail
compgen -G "${1-}/side-by-side-*" >/dev/null || {
  echo "plot.sh: ${1:-no folder}: contains no side-by-side-NETWORK; give the folder of all.sh --keep" >&2
  exit 64
}
command -v gnuplot >/dev/null || { echo "plot.sh: gnuplot: not installed; run apt-get install gnuplot-nox" >&2; exit 69; }
here=$(cd "$(dirname "$0")" && pwd)
results=$here/../results
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
"$here/tools/plotdata.py" "$1" "$data"

style='
set encoding utf8
set logscale y
set grid ytics lc rgb "#dddddd"
set border 3 lc rgb "#888888"
set tics nomirror
set format y "%g"
tutti = "#1857a4"; link = "#e07b00"; limits = "#888888"
'
gnuplot <<PLOT
set terminal svg size 1080,720 font "sans-serif,12" background "white"
set output "$results/side-by-side.svg"
$style
set multiplot layout 2,3
set yrange [0.1:10000]
set xrange [0:40]
set xlabel "seconds after they met"
set ylabel "magnitude of the offset, µs"
file(network, program) = sprintf("$data/%s-%s.dat", network, program)
has(network) = system(sprintf("test -f %s && echo 1 || echo 0", file(network, "tutti"))) + 0
do for [network in "still lan wifi busy poor"] {
  set title network
  if (has(network)) {
    plot file(network, "link") with lines lw 0.7 lc rgb link title "Ableton Link", \
      file(network, "tutti") with lines lw 0.7 lc rgb tutti title "Tutti"
  } else {
    plot NaN notitle
  }
}
unset multiplot
PLOT

gnuplot <<PLOT
set terminal svg size 640,440 font "sans-serif,12" background "white"
set output "$results/side-by-side-medians.svg"
$style
set xrange [0.5:5.5]
set yrange [0.1:10000]
set ylabel "p95 of the offset's magnitude, 10 to 40 s, µs"
set xtics ("still" 1, "lan" 2, "wifi" 3, "busy" 4, "poor" 5)
set key top left
set bars 0
plot "$data/medians.dat" using (\$1 - 0.35):4:(0.7):(0) with vectors nohead lw 1.5 dt 2 lc rgb limits \
    title "Tutti's limit", \
  "$data/link.dat" using (\$1 + 0.12):2 with points pt 6 ps 0.6 lc rgb link notitle, \
  "$data/tutti.dat" using (\$1 - 0.12):2 with points pt 6 ps 0.6 lc rgb tutti notitle, \
  "$data/medians.dat" using (\$1 + 0.12):3:(0.14) with xerrorbars pt 0 lw 3 lc rgb link \
    title "Ableton Link: runs, median", \
  "" using (\$1 - 0.12):2:(0.14) with xerrorbars pt 0 lw 3 lc rgb tutti title "Tutti: runs, median"
PLOT
