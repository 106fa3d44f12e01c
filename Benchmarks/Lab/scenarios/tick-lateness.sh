#!/usr/bin/env bash
# tick-lateness.sh [SECONDS] [stress]
#
# How late does a MIDI clock tick leave? A peer plays at 120 BPM for SECONDS (120), and an outside subscriber has the
# kernel stamp each tick's arrival. The deadlines are arithmetic from the instant the first tick was planned for
# (tools/lateness.py says why). Before it cyclictest, FIFO 80, tells what this machine can do at all, under the same
# load: nothing, or stress-ng on two workers. One after the other, lest they disturb each other.
#
# Expected: p99.9 of the ticks at most 1.5 times p99.9 of cyclictest; the stamps true to 2 us.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-120}
tools seqstamps
[[ ${2-} != stress ]] || stress

cyclictest -m -p 80 -i 2000 -h 5000 -q -D 60 >"$results/cyclictest.txt"
machine=$(lateness.py cyclictest "$results/cyclictest.txt")
echo "$machine"

# The start is told 2 s ahead: time for the subscriber.
peer ada --midi --audio none --start --bpm 120 --lead 2000 --duration "$seconds"
ada=$!
seqstamps ada:clock "$((seconds + 4))" >"$results/stamps.txt"
wait "$ada"
ticks=$(lateness.py ticks 120 "$results/stamps.txt" "$results/ada.trace")
echo "$ticks"

limit=$(awk -v p="$(figure p99.9 <<<"$machine")" 'BEGIN {printf "%.1f", 1.5 * p}')
late=$(figure p99.9 <<<"$ticks")
verdict=fail
at_most "$late" "$limit" && verdict=pass
result "$verdict" "${late}us" "${limit}us"
