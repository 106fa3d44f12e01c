# What the scenarios share; sourced by them, inside the lab's guest. A scenario ends with one line,
# RESULT name pass|fail figure=... limit=...
#
# While the guest waits for a file of the host its processor is idle, so its clock leaps to the next timer: 4 ms for
# each request. So what is measured writes into memory, $results, which is copied to /out at the end, and programs are
# run once before they count.
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scenario=$(basename "$0" .sh)
[[ -d /run/lab ]] || { echo "$scenario: plays in the lab's guest; run Benchmarks/Lab/lab $0" >&2; exit 69; }
TUTTI=${TUTTI:-$lab/../../.build/release/tutti}
export TUTTI_PATCHES=${TUTTI_PATCHES:-$lab/../../Patches}
[[ -x $TUTTI ]] || { echo "$scenario: $TUTTI is not there; run swift build -c release --product tutti" >&2; exit 69; }
scratch=/tmp/scenario results=/tmp/scenario/results
mkdir -p "$scratch/bin" "$results"
PATH=$scratch/bin:$lab/tools:$PATH
aconnect -l >/dev/null
echo "tutti $("$TUTTI" --version), $(uname -sr), $(nproc) processor, $LAB clock"
told=
trap '
  status=$?
  cp -r "$results/." /out
  [[ $status == 0 || -n $told ]] || echo "RESULT $scenario fail figure=none limit=none"' EXIT

# tools NAME...: compiles tools/NAME.c, and runs each once without arguments.
tools() {
  local name
  for name in "$@"; do
    gcc -O2 -Wall -Wextra -o "$scratch/bin/$name" "$lab/tools/$name.c" -lasound -lm
    "$name" 2>/dev/null || true
  done
}

# await SECONDS WHAT COMMAND...: waits until COMMAND succeeds, and fails when it has not by then.
await() {
  local tries=$(($1 * 20)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || { echo "$scenario: $what: not there in time" >&2; return 1; }
    sleep 0.05
  done
}

# address CLIENT PORT: "128:0", the numbers of a sequencer port.
address() {
  aconnect -l | awk -v client="'$1'" -v port="$2" '
    /^client / {match($0, /\047.*\047/); number = $2 + 0; ours = substr($0, RSTART, RLENGTH) == client; next}
    ours && /^ +[0-9]+ \047/ {name = $0; sub(/^ +[0-9]+ \047/, "", name); sub(/ *\047.*$/, "", name)
      if (name == port) {print number ":" $1; found = 1; exit}}
    END {exit !found}'
}

# peer NAME OPTION...: runs a peer in the background, its identity its own. $results/NAME.json has its events and
# summary, NAME.log what it said, NAME.trace its trace. With `host=N` before it, on host N of network.sh.
peer() {
  local name=$1 on=()
  shift
  [[ -z ${host-} ]] || on=(on "$host")
  XDG_STATE_HOME=$scratch/$name "${on[@]}" "$TUTTI" peer --name "$name" --discovery off --json --trace "$results/$name.trace" \
    "$@" </dev/null >"$results/$name.json" 2>"$results/$name.log" &
}

# ready NAME: waits until the peer can be connected to.
ready() { await 20 "peer $1" grep -q '"ready"' "$results/$1.json"; }

# figure KEY: of a line of key=value, the value.
figure() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" | head -n 1; }

# pick FILE PATH: of the last JSON line of FILE, or of the file, the member at PATH, such as comparisons.0.missing.
pick() {
  python3 - "$@" <<'PYTHON'
import json, sys
text = open(sys.argv[1]).read()
try:
    value = json.loads(text)
except ValueError:
    value = json.loads(text.strip().rsplit("\n", 1)[-1])
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(value)
PYTHON
}

# at_most VALUE LIMIT: of numbers with a point.
at_most() { awk -v value="$1" -v limit="$2" 'BEGIN {exit !(value != "" && value + 0 <= limit + 0)}'; }

# stress: keeps the processor busy until the scenario ends.
stress() { stress-ng --cpu 2 --quiet >/dev/null 2>&1 & }

# obtained TRACE: what the peer that wrote it obtained of the system.
obtained() {
  echo "$(sed -n '1s/.*"scheduler":"\([^"]*\)".*/\1/p' "$1"), memory locked:" \
    "$(sed -n '1s/.*"memory_locked":\([a-z]*\).*/\1/p' "$1")"
}

# result pass|fail FIGURE LIMIT: what the peers obtained, and the last line; ends the scenario.
result() {
  local trace
  for trace in "$results"/*.trace; do
    [[ ! -f $trace ]] || echo "$(basename "$trace" .trace): $(obtained "$trace")"
  done
  echo "RESULT $scenario $1 figure=$2 limit=$3"
  told=yes
  [[ $1 == pass ]] && exit 0
  exit 1
}

# A scenario that stops on its way has failed, and shows what the peers said last. Where it stops inside a function, the
# last line comes of its exit alone.
trap '
  echo "$scenario: stopped at line $LINENO" >&2
  tail -n 3 "$results"/*.log >&2 2>/dev/null || true' ERR
