#!/usr/bin/env bash
# side-by-side.sh [NETWORK] [RUNS]
#
# How large is the offset between two Tutti peers, compared with two Ableton Link peers? On the network still, lan (default),
# wifi, busy or poor, RUNS (6) times: one pair, then the other pair, in alternating order, each for 40 s after the peers met.
# Every pair has new hosts. Each host has its own clock, ahead by a number of seconds that only the scenario knows. netem
# delays everything that both hosts send. The pairs play one after the other: the guest has one processor, and the probes of
# one pair would wait for those of the other. The offsets of Tutti come from the traces of the peers, those of Link from
# linkpeer. Kernel transmit time stamps are not used, because netem delays packets before the kernel takes them.
#
# Expected: the median over the runs of the p95 of the magnitude of the offset, from 10 to 40 s after the peers met, is at
# most 2 us on still, 8 on lan, 60 on wifi, 120 on busy and 40 on poor, and at most the median of Link or 1 us, whichever is larger. On
# wifi and busy, it is at most 0.6 of the median of Link, and the median of the p95 in the first 2 s is not larger than that of Link. In
# every run, Tutti is within 1 ms one second after the peers met, on busy and poor within 3 ms, and misses no tick.
#
# /out contains run-N/*.trace, *.json and *.log of the Tutti peers, *.link of the Link peers, and *.offsets of both pairs.
# Link is compiled in the guest, which takes minutes, unless tools/build-linkpeer .build/linkpeer was run before.
#
# Debian packages: ableton-link-dev libasio-dev g++
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan} runs=${2:-6}
# The duration of the rhythm, and the duration of the Link peers, which need seconds to meet.
declare -A seconds=([tutti]=42 [link]=50)
netem "$network" >/dev/null

built=$lab/../../.build/linkpeer
if [[ $built -nt $lab/tools/linkpeer.cpp ]]; then cp "$built" "$scratch/bin"
else build-linkpeer "$scratch/bin/linkpeer"; fi

# now: the time of the true clock in seconds, without starting a program.
now() {
  local up
  read -r up _ </proc/uptime
  echo "$up"
}

# The clock of Link, CLOCK_MONOTONIC_RAW, is behind CLOCK_MONOTONIC by this number of seconds.
later=$(python3 -c 'from time import *; print(clock_gettime(CLOCK_MONOTONIC) - clock_gettime(CLOCK_MONOTONIC_RAW))')

# tutti SECONDS: runs two Tutti peers: ben waits, ada connects and plays for SECONDS.
tutti() {
  local ada ben launched
  host=2 peer ben --audio none --duration $(($1 + 20))
  ben=$!
  ready ben
  launched=$(now)
  host=1 peer ada --audio none --connect 10.99.0.2:5004 --start --bpm 120 --duration "$1"
  ada=$!
  wait "$ada"
  wait "$ben"
  offsets.py tutti "$launched" "$results/ada" "${ahead[1]}" "$results/ben" "${ahead[2]}" >"$results/tutti.offsets"
}

# link SECONDS: runs two Link peers for SECONDS each.
link() {
  local ada ben launched
  on 2 linkpeer "$1" 120 >"$results/ben.link" &
  ben=$!
  sleep 1
  launched=$(awk -v now="$(now)" -v later="$later" 'BEGIN {print now - later}')
  on 1 linkpeer "$1" 120 >"$results/ada.link" &
  ada=$!
  wait "$ada"
  wait "$ben"
  offsets.py link "$launched" "$results/ada.link" "${ahead[1]}" "$results/ben.link" "${ahead[2]}" \
    >"$results/link.offsets"
}

# run FOLDER PAIR SECONDS: runs the pair on new hosts.
run() {
  hosts 2 "$network"
  (
    results=$results/$1
    mkdir -p "$results"
    "$2" "$3"
  )
}

# One run before the measurement, so that the programs are in memory.
run before tutti 3
run before link 8
rm -r "$results/before"

for n in $(seq "$runs"); do
  order=(tutti link)
  ((n % 2)) || order=(link tutti)
  for pair in "${order[@]}"; do run "run-$n" "$pair" "${seconds[$pair]}"; done
done

echo "Ableton Link $(dpkg-query -W -f '${Version}' ableton-link-dev)"
echo "every peer: $(for trace in "$results"/run-*/*.trace; do obtained "$trace"; done | sort -u)"
verdict=pass
sidebyside.py "$network" "$results" | tee "$results/table.txt" || verdict=fail
median=$(figure median <"$results/table.txt") limit=$(figure limit <"$results/table.txt")
result "$verdict" "${median:-none}" "${limit:-none}"
