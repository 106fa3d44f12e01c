# Common functions of the scenarios. Sourced by scenarios, inside the guest of the lab. A scenario ends with one line,
# RESULT name pass|fail figure=... limit=...
#
# While the guest waits for a file of the host, its processor is idle and its clock jumps to the next timer: 4 ms for
# each request. Measured programs therefore write to $results, which is in memory and is copied to /out at the end, and
# each program runs once before the measurement.
lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scenario=$(basename "$0" .sh)
[[ -d /run/lab ]] || { echo "$scenario: not in the guest of the lab; run Benchmarks/Lab/lab $0" >&2; exit 69; }
TUTTI=${TUTTI:-$lab/../../.build/release/tutti}
export TUTTI_PATCHES=${TUTTI_PATCHES:-$lab/../../Patches}
[[ -x $TUTTI ]] || { echo "$scenario: $TUTTI: not found; run swift build -c release --product tutti" >&2; exit 69; }
scratch=/tmp/scenario results=/tmp/scenario/results
# The SoundFont of all programs. The scenarios know its sounds. Another default of this machine has no effect: the guest has its own link,
# in its writable layer.
soundfont=/usr/share/sounds/sf2/TimGM6mb.sf2
[[ -r $soundfont ]] || { echo "$scenario: $soundfont: not found; install the package timgm6mb-soundfont" >&2; exit 69; }
ln -sf "$soundfont" /usr/share/sounds/sf2/default-GM.sf2
mkdir -p "$scratch/bin" "$results"
PATH=$scratch/bin:$lab/tools:$PATH
aconnect -l >/dev/null
echo "tutti $("$TUTTI" --version), $(uname -sr), $(nproc) processor, $LAB clock"
reported=
trap '
  status=$?
  cp -r "$results/." /out
  [[ $status == 0 || -n $reported ]] || echo "RESULT $scenario fail figure=none limit=none"' EXIT

# tools NAME...: compiles tools/NAME.c, and runs each once without arguments. Copies .build/lab-tools/NAME instead, if it is
# newer than all sources: compiling takes a second outside the guest and much longer inside.
tools() {
  local name built=$lab/../../.build/lab-tools
  for name in "$@"; do
    if [[ -x $built/$name && -z $(find "$lab/tools/$name.c" "$lab"/tools/*.h -newer "$built/$name") ]]; then cp "$built/$name" "$scratch/bin"
    else gcc -O2 -Wall -Wextra -o "$scratch/bin/$name" "$lab/tools/$name.c" -lasound -lm; fi
    "$name" 2>/dev/null || true
  done
}

failures=0
# complain WHAT: reports an unexpected result, and counts it in `failures`.
complain() { echo "not as expected: $1"; failures=$((failures + 1)); }
# playing: whether a program plays to the loopback card.
playing() { grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status; }
# milliseconds: the present time.
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# await SECONDS WHAT COMMAND...: waits until COMMAND succeeds; fails after SECONDS.
await() {
  local tries=$(($1 * 20)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || { echo "$scenario: $what: timeout" >&2; return 1; }
    sleep 0.05
  done
}

# address CLIENT PORT: prints the address of a sequencer port, such as 128:0.
address() {
  aconnect -l | awk -v client="'$1'" -v port="$2" '
    /^client / {match($0, /\047.*\047/); number = $2 + 0; ours = substr($0, RSTART, RLENGTH) == client; next}
    ours && /^ +[0-9]+ \047/ {name = $0; sub(/^ +[0-9]+ \047/, "", name); sub(/ *\047.*$/, "", name)
      if (name == port) {print number ":" $1; found = 1; exit}}
    END {exit !found}'
}

# peer NAME OPTION...: runs a peer in the background, with its own identity. $results/NAME.json contains its events and
# summary, NAME.log its messages, NAME.trace its trace. `host=N peer ...` runs the peer on host N of network.sh.
peer() {
  local name=$1 on=()
  shift
  [[ -z ${host-} ]] || on=(on "$host")
  XDG_STATE_HOME=$scratch/$name "${on[@]}" "$TUTTI" peer --name "$name" --discovery off --json --trace "$results/$name.trace" \
    "$@" </dev/null >"$results/$name.json" 2>"$results/$name.log" &
}

# ready NAME: waits until other peers can connect to the peer.
ready() { await 20 "peer $1" grep -q '"ready"' "$results/$1.json"; }

# figure KEY: prints the value of KEY in a line of key=value pairs on standard input.
figure() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" | head -n 1; }

# pick FILE PATH: prints the member at PATH, such as comparisons.0.missing, of a JSON file or of its last JSON line.
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

# at_most VALUE LIMIT: compares decimal numbers.
at_most() { awk -v value="$1" -v limit="$2" 'BEGIN {exit !(value != "" && value + 0 <= limit + 0)}'; }

# stress: loads the processor until the scenario ends.
stress() { stress-ng --cpu 2 --quiet >/dev/null 2>&1 & }

# obtained TRACE: prints the scheduling policy and the memory lock that the peer obtained.
obtained() {
  echo "$(sed -n '1s/.*"scheduler":"\([^"]*\)".*/\1/p' "$1"), memory locked:" \
    "$(sed -n '1s/.*"memory_locked":\([a-z]*\).*/\1/p' "$1")"
}

# machine_latency SECONDS: measures the latency of the machine with cyclictest, FIFO 80, and prints its figures.
#
# The timer interrupt of the kernel, every 4 ms, delays a thread that wakes at the same moment. A measurement must therefore
# sample the whole 4 ms evenly. cyclictest does: its wake-ups repeat relative to the interrupt only every 7.6 s. Scenarios that
# measure ticks play at 119.3 BPM, whose ticks fall at 1193 positions, 3.4 us apart. At 119 BPM there are only 119 positions,
# 34 us apart. One position then has 0.8 % of the ticks and alone decides p99.9, so the result depends on the instant of the start.
machine_latency() {
  cyclictest -m -p 80 -i 1901 -h 5000 -q -D "$1" >"$results/cyclictest.txt"
  lateness.py cyclictest "$results/cyclictest.txt"
}

# result pass|fail FIGURE LIMIT: prints what the peers obtained and the RESULT line, and ends the scenario.
result() {
  local trace
  for trace in "$results"/*.trace; do
    [[ ! -f $trace ]] || echo "$(basename "$trace" .trace): $(obtained "$trace")"
  done
  echo "RESULT $scenario $1 figure=$2 limit=$3"
  reported=yes
  [[ $1 == pass ]] && exit 0
  exit 1
}

# A scenario that stops early has failed. It prints the last messages of the peers. If it stops inside a function, the EXIT
# trap alone prints the RESULT line.
trap '
  echo "$scenario: stopped at line $LINENO" >&2
  tail -n 3 "$results"/*.log >&2 2>/dev/null || true' ERR
