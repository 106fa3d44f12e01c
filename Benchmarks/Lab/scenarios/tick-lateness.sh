#!/usr/bin/env bash
# tick-lateness.sh [SECONDS] [stress]
#
# How late are the ticks of the MIDI clock? A peer plays at 119.3 BPM for SECONDS (120). An independent subscriber gets kernel
# time stamps of the arrival of each tick. The deadlines are computed from the instant for which the first tick was
# scheduled (tools/lateness.py explains why). Before the peer starts, cyclictest, FIFO 80, measures the latency of the
# machine under the same load: none, or stress-ng with two workers. The two measurements run one after the other, so that
# they do not disturb each other.
#
# Expected: p99.9 of the ticks is at most 1.5 times p99.9 of cyclictest, and the error of the time stamps is at most 2 us.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-120}
tools seqstamps
[[ ${2-} != stress ]] || stress

machine=$(machine_latency 60)
echo "$machine"

# The start is announced 2 s in advance, so that the subscriber has time to connect.
peer ada --midi --audio none --start --bpm 119.3 --lead-time 2000 --duration "$seconds"
ada=$!
seqstamps ada:clock "$((seconds + 4))" >"$results/stamps.txt"
wait "$ada"
ticks=$(lateness.py ticks 119.3 "$results/stamps.txt" "$results/ada.trace")
echo "$ticks"

limit=$(awk -v p="$(figure p99.9 <<<"$machine")" 'BEGIN {printf "%.1f", 1.5 * p}')
late=$(figure p99.9 <<<"$ticks")
verdict=fail
at_most "$late" "$limit" && verdict=pass
result "$verdict" "${late}us" "${limit}us"
