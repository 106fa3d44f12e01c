#!/usr/bin/env bash
# side-by-side.sh [NETWORK] [RUNS]
#
# Who keeps closer together, two Tutti peers or two of Ableton Link? On the network still, lan (default), wifi or poor,
# RUNS (6) times: the one pair, then the other, which one first changing from run to run, each for 40 s after they met.
# Every pair has hosts of its own, fresh ones, of which each has a clock of its own, ahead by a number of seconds that
# only the scenario knows; netem delays what both hosts send. One after the other and not at once, for the guest has one
# processor, and the probes of one pair would wait behind those of the other. Tutti's offsets come from the peers'
# traces, Link's from linkpeer; no stamp of the kernel's on its way out has a part in it, which netem delays.
#
# Expected: the median over the runs of p95 of the offset's magnitude, from 10 to 40 s after they met, is at most 2 us
# on still, 8 on lan, 60 on wifi and 40 on poor, and at most Link's median or 1 us, whichever is larger. In every run
# Tutti is within 1 ms one second after they met, on poor within 3, and misses no tick.
#
# /out has run-N/*.trace, *.json and *.log of the peers, *.link of Link's, and of both pairs *.offsets.
# Link is compiled in the guest, which takes minutes, unless tools/build-linkpeer .build/linkpeer was run before.
#
# Debian packages: ableton-link-dev libasio-dev g++
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
network=${1:-lan} runs=${2:-6}
# How long the rhythm plays, and how long Link's peers stay, which take seconds to meet.
declare -A seconds=([tutti]=42 [link]=50)
netem "$network" >/dev/null

built=$lab/../../.build/linkpeer
if [[ $built -nt $lab/tools/linkpeer.cpp ]]; then cp "$built" "$scratch/bin"
else build-linkpeer "$scratch/bin/linkpeer"; fi

# now: the second of the true clock, without starting a program.
now() {
  local up
  read -r up _ </proc/uptime
  echo "$up"
}

# Link's clock, CLOCK_MONOTONIC_RAW, began later, by this many seconds.
later=$(python3 -c 'from time import *; print(clock_gettime(CLOCK_MONOTONIC) - clock_gettime(CLOCK_MONOTONIC_RAW))')

# tutti SECONDS: ben waits, ada comes and plays for so long.
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

# link SECONDS: the same of Link; each stays for so long.
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

# run FOLDER PAIR SECONDS: the pair plays, on fresh hosts.
run() {
  hosts 2 "$network"
  (
    results=$results/$1
    mkdir -p "$results"
    "$2" "$3"
  )
}

# Once before it counts, so that the programs are in memory.
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
