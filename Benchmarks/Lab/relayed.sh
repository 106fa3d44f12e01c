# Two hosts on this machine and a network between them, with the real clock. Sourced by scripts outside of the lab after they
# have set `runs`, and `shape`, the parameters MEAN SD LOSS of tools/relay.c. Needs root, iproute2 and gcc.
#
# The hosts are network namespaces. relay delays and loses the datagrams between them in user space, so that no time stamp of a
# host contains the delay. A host reaches the other one at 10.98.1.254 or 10.98.2.254. Each host has a time namespace, whose
# clock is ahead by a random number of seconds, ahead[N], that only the script knows.
fail() { echo "$script: $2" >&2; exit "$1"; }
script=$(basename "$0")
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $runs =~ ^[1-9][0-9]*$ ]] || fail 64 "$runs: not a number of runs; give a whole number"
[[ $EUID == 0 ]] || fail 69 "network namespaces: permission denied; run as root"
TUTTI=$(realpath -m "${TUTTI:-$lab/../../.build/release/tutti}")
export TUTTI TUTTI_PATCHES=${TUTTI_PATCHES:-$lab/../../Patches}
[[ -x $TUTTI ]] || fail 69 "$TUTTI: not found; run swift build -c release --product tutti"
# The script has namespaces of its own, so that no process and no network remains after it.
[[ -n ${TUTTI_RELAYED-} ]] ||
  TUTTI_RELAYED=yes exec unshare --mount --net --pid --fork --kill-child --mount-proc bash "$0" "$@"
# This shell is the first process of its namespace, which ignores signals without a trap.
trap "exit 130" INT
trap "exit 143" TERM
mount -t tmpfs none /run
mkdir /run/netns
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
PATH=$lab/tools:$PATH
source "$lab/runs.sh"
gcc -O2 -Wall -Wextra -o "$results/relay" "$lab/tools/relay.c" -lm

ahead=(0)
for n in 1 2; do
  ahead[n]=$(shuf -i 1000-99999 -n 1)
  ip netns add "host$n"
  ip link add "port$n" type veth peer name net netns "host$n"
  ip address add "10.98.$n.254/24" dev "port$n"
  ip link set "port$n" up
  ip -n "host$n" link set lo up
  ip -n "host$n" address add "10.98.$n.$n/24" dev net
  ip -n "host$n" link set net up
done

# relayed SEED COMMAND...: runs the command while the network, with random numbers of the seed, connects the hosts.
relayed() {
  local relay status=0
  # shellcheck disable=SC2086 # several parameters
  "$results/relay" $shape "$1" 5004 5005 123 &
  relay=$!
  start_phase "$1"
  shift
  "$@" || status=$?
  kill "$relay"
  wait "$relay" || true
  return "$status"
}

# on N PROGRAM...: runs the program on host N.
on() {
  local n=$1
  shift
  ip netns exec "host$n" unshare --time --fork --kill-child --monotonic "${ahead[n]}" "$@"
}

# peer N OPTION...: runs a Tutti peer on host N in the background. peerN.json, .log and .trace are its outputs.
peer() {
  local n=$1
  shift
  XDG_STATE_HOME=$results/$n on "$n" "$TUTTI" peer --name "peer$n" --discovery off --json --trace "$results/peer$n.trace" "$@" \
    </dev/null >"$results/peer$n.json" 2>"$results/peer$n.log" &
}

# ready N: waits until other peers can connect to the peer of host N.
ready() {
  for _ in $(seq 200); do
    if grep -q '"ready"' "$results/peer$1.json"; then return; fi
    sleep 0.05
  done
  fail 1 "peer $1: not ready after 10 s; see the message above"
}

# conclude RUNS: prints the machine, the table, and the RESULT line. RUNS_FILE is a file for the figures of the runs, and for
# the lines of `reference`, figures of a study.
failures=0
conclude() {
  local verdict=pass
  echo "tutti $("$TUTTI" --version), $(uname -sr), $(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
  comparison.py table "$1" "$results/runs.txt" || verdict=fail
  [[ -z ${RUNS_FILE-} ]] || { cat "$results/runs.txt"; printf '%s' "${reference-}"; } >"$RUNS_FILE"
  ((failures == 0)) || verdict=fail
  echo "RESULT ${script%.sh} $verdict figure=$(cut -d ' ' -f 2 "$results/runs.txt" | sort -u | wc -l)_programs limit=$1_runs"
  [[ $verdict == pass ]]
}
