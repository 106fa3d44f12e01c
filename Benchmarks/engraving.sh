#!/usr/bin/env bash
# engraving.sh ROOT
#
# Engraves every part of the scores of music21 (ROOT is the folder of the Python package music21 10.5): the time, the agreement with the
# files, the sizes, and the overlaps measured in Chromium. Then engraves the first violin of Beethoven's op. 18 no. 1, 313 bars, in pairs
# with Verovio. Writes results/engraving.txt and the plot results/engraving.svg. ENGRAVING names another program than the release build.
#
# Expected: see engraving.mjs and engraving-verovio.py. Exit status 1 otherwise.
#
# Needs node, chromium, gnuplot-nox, lilypond-fonts, fonts-urw-base35, and the Python package verovio 6.4 for the program that PYTHON names
# (python3).
set -euo pipefail
[[ -d ${1-}/corpus ]] || { echo "engraving.sh: ${1:-no folder}: has no folder corpus; give the folder of music21 10.5" >&2; exit 64; }
root=$(cd "$1" && pwd)
cd "$(dirname "$0")"
for program in node chromium gnuplot; do
  command -v "$program" >/dev/null || { echo "engraving.sh: $program: not installed; install it with apt-get" >&2; exit 69; }
done
[[ -n ${ENGRAVING-} ]] || swift build -c release --product engraving >&2
export ENGRAVING=${ENGRAVING:-.build/release/engraving}
quartet=$root/corpus/beethoven/opus18no1/movement1.mxl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
{
  echo "\$ Benchmarks/engraving.sh music21   # $(date +%F)"
  "$ENGRAVING" "$root" --output "$folder"
  echo
  echo "\$ engraving.mjs drawings"
  ./engraving.mjs "$folder" || failed=1
  echo
  echo "\$ engraving-verovio.py beethoven/opus18no1/movement1.mxl 1"
  "${PYTHON:-python3}" engraving-verovio.py "$quartet" 1 || failed=1
  echo "result: $([[ $failed == 0 ]] && echo pass || echo fail)"
  echo "$failed" >"$folder/failed"
} | tee results/engraving.txt
sed -n '/^import, layout/,/^layout and SVG/p' results/engraving.txt | grep '^[0-9]' >"$folder/pairs.dat"
gnuplot <<PLOT
set terminal svg size 960,420 font "sans-serif,12" background "white"
set output "results/engraving.svg"
set multiplot layout 1,2
set grid lc rgb "#dddddd"
set border 3 lc rgb "#888888"
set tics nomirror
set datafile separator tab
set logscale xy
set xlabel "notes of a part"
set ylabel "layout and SVG, ms"
set key top left
set title "all parts of the corpus"
plot "$folder/geometry.tsv" every ::1 using 5:(\$9 + \$10) with points pt 7 ps 0.25 lc rgb "#1857a4" title "Tutti"
set datafile separator whitespace
unset logscale x
set title "first violin of op. 18 no. 1, in pairs"
set xlabel "pair"
set xrange [-0.5:*]
set xtics 1
plot "$folder/pairs.dat" using 0:5 with points pt 6 lc rgb "#e07b00" title "Verovio, layout and SVG", \
  "" using 0:(\$2 + \$3) with points pt 7 lc rgb "#1857a4" title "Tutti, layout and SVG"
unset multiplot
PLOT
exit "$(cat "$folder/failed")"
