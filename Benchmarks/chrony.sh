#!/usr/bin/env bash
# chrony.sh [NETWORK] [RUNS]
#
# How exactly does a Tutti peer know the clock of another peer, compared with chrony? There are two hosts of this machine, with a
# network between them: lan (default) delays datagrams by 0.5 ms ± 0.1 ms, wifi by 5 ms ± 1 ms and loses 1 %. The programs run one
# after the other, RUNS (10) times, in alternating order, for 33 s. The figures cover the seconds 10 to 30 after the first answer.
# The random numbers of the network are those of the run.
#   tutti        two peers: the offset between the due times of the same tick
#   chrony_1_s   chronyd asks a chronyd every second, interleaved mode: "Est offset" in statistics.log
#   chrony_fast  the same 64 times per second, with the median filter of 32 samples; not on wifi, because chronyd does not poll
#                more than once per second if the round trip exceeds 10 ms
# chronyd measures CLOCK_REALTIME, which both hosts share, and runs with -x: it does not know or change this clock. The true
# offset is therefore 0. chronyd uses the kernel's time stamps for both directions.
#
# This script runs with the real clock of this machine, and not in the lab: see Lab/relayed.sh.
#
# Debian packages: chrony iproute2
set -euo pipefail
network=${1:-lan} runs=${2:-10} seconds=33
case $network in
  lan) shape="500 100 0" programs=(tutti chrony_1_s chrony_fast) ;;
  wifi) shape="5000 1000 1" programs=(tutti chrony_1_s) ;;
  *) echo "chrony.sh: $network: no such network; give lan or wifi" >&2; exit 64 ;;
esac
source "$(dirname "$0")/Lab/relayed.sh"
command -v chronyd >/dev/null || fail 69 "chronyd: not installed; run apt-get install --no-install-recommends chrony"

estimate_tutti() {
  local second
  peer 2 --audio none --duration $((seconds + 30))
  second=$!
  ready 2
  peer 1 --audio none --connect 10.98.1.254:5004 --start --bpm 120 --duration $((seconds + 2))
  wait $! || true
  stop "$second"
  offsets.py tutti 0 "$results/peer1" "${ahead[1]}" "$results/peer2" "${ahead[2]}" >"$results/offsets.txt"
  estimate.py tutti "$results/offsets.txt"
}

# chronyd_on HOST LINE...: runs chronyd on the host with a configuration of these lines.
chronyd_on() {
  local host=$1 folder=$results/chrony$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  printf '%s\n' "$@" "pidfile $folder/pid" "cmdport 0" "bindcmdaddress /" "logdir $folder" >"$folder/conf"
  on "$host" chronyd -x -d -u root -f "$folder/conf" >"$results/chrony$host.log" 2>&1 &
  chronyds+=($!)
}
# chrony OPTION...: estimates with these options of the directive `server`.
chrony() {
  local chronyds=()
  chronyd_on 2 "local stratum 1" "allow"
  sleep 1
  chronyd_on 1 "server 10.98.1.254 iburst xleave $*" "log statistics"
  sleep $((seconds + 2))
  stop "${chronyds[@]}"
  estimate.py chrony "$results/chrony1/statistics.log"
}
estimate_chrony_1_s() { chrony minpoll 0 maxpoll 0; }
estimate_chrony_fast() { chrony minpoll -6 maxpoll -6 filter 32; }

for run in $(seq "$runs"); do
  for program in $(order "$run" "${programs[@]}"); do
    if relayed "$run" "estimate_$program" >"$results/estimate.txt"; then
      record "$run" "$program" <"$results/estimate.txt"
      echo "run $run, $program: $(cat "$results/estimate.txt")"
    else
      failures=$((failures + 1))
    fi
  done
done
echo "chrony $(dpkg-query -W -f '${Version}' chrony)"
conclude "$runs"
