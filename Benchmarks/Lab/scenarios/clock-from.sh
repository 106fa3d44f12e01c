#!/usr/bin/env bash
# clock-from.sh [SECONDS]
#
# Does a peer follow an external clock with jitter? clockgen sends 120 BPM for SECONDS (600). Each tick is late by
# |N(0, 1 ms)|. One peer follows this clock and is the master of a second peer over loopback.
#
# Expected: both peers enter within a quarter note of Start. From then on, each tick of clockgen occurs exactly once at both
# peers, none is lost or duplicate. No tick slips: from the third second after a peer has entered, each tick is due within
# half a tick of the tick of the same number of the perfect clock, without subtracting the mean. Both peers end with
# status 0. The deviations from the perfect clock are printed.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-600}
tools clockgen

clockgen 120 "$seconds" --jitter 1 --seed 1 >"$results/truth.txt" &
generator=$!
await 10 "port clockgen:out" address clockgen out
# The second peer starts first, so that the connection is established when the clock begins.
peer ben --audio none --port 6004 --duration "$((seconds + 40))"
ben=$!
ready ben
peer ada --midi --clock-from clockgen --audio none --port 5004 --connect 127.0.0.1:6004 --duration "$((seconds + 20))"
ada=$!
wait "$generator"
wait "$ada"
wait "$ben"
verdict=pass
follow.py "$results/truth.txt" "$results/ada.trace" "$results/ben.trace" >"$results/follow.txt" || verdict=fail
cat "$results/follow.txt"
failures=$(awk '{for (i = 1; i <= NF; i++)
    if (split($i, p, "=") == 2 && (p[1] == "lost" || p[1] == "duplicates" || p[1] == "slipped")) n += p[2]}
  END {print n + 0}' "$results/follow.txt")
result "$verdict" "${failures}_lost_duplicate_or_slipped" 0
