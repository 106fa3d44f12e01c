#!/usr/bin/env bash
# clock-from.sh [SECONDS]
#
# Does a peer follow an outside clock that jitters? clockgen gives 120 BPM for SECONDS (600), each tick up to some
# milliseconds late, |N(0, 1 ms)|; one peer follows it and is the master of a second one, connected over loopback.
#
# Expected: from the step at which both come in, within a quarter note of Start, each of clockgen's ticks comes once at
# both peers, none is lost or doubled; and none slips: from the third second after a peer came in, a tick is due within
# half a tick of the perfect clock's tick of the same number, no mean taken out. Both peers end with status 0. How far
# they put the ticks off the perfect clock is told.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
seconds=${1:-600}
tools clockgen

clockgen 120 "$seconds" --jitter 1 --seed 1 >"$results/truth.txt" &
generator=$!
await 10 "port clockgen:out" address clockgen out
# The second peer first: the connection stands when the clock begins.
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
faults=$(awk '{for (i = 1; i <= NF; i++)
    if (split($i, p, "=") == 2 && (p[1] == "lost" || p[1] == "doubled" || p[1] == "slipped")) n += p[2]}
  END {print n + 0}' "$results/follow.txt")
result "$verdict" "${faults}_lost_doubled_or_slipped" 0
