#!/usr/bin/env bash
# followers.sh [SECONDS] [FOLLOWERS]
#
# Measures one master with a thousand followers. On this machine, over loopback, a peer plays at 120 BPM for SECONDS (60)
# to one follower and to FOLLOWERS (1000), first standard devices, then Tutti peers. The load generator, `followers` of
# this package, counts every tick at every follower. If cyclictest is installed, it runs in the same seconds, above the
# peer (FIFO 80, one thread per processor), and shows how long the machine stalls. The steal time of /proc/stat shows for
# how much of these seconds the host of a virtual machine ran something else. The load generator stands for other
# machines. Therefore it runs on the last processor, and the peer on the others: the kernel does not preempt a system
# call of the load generator when the clock thread becomes ready. `awake` keeps idle processors from halting (see
# awake.c). The results are kept in memory until the end, because the host of a virtual machine can take
# processor time from it while it writes to the disk.
#
# Expected: every follower receives every tick exactly once; the master uses at most half a processor while it plays,
# from the kernel's CPU time of its threads; p99.9 of the lateness of its clock thread is at most twice the p99.9 with
# one follower.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-60} most=${2:-1000} port=21000 master=5004
TUTTI=${TUTTI:-$here/../.build/release/tutti}
FOLLOWERS=${FOLLOWERS:-$here/.build/release/followers}
for program in "$TUTTI" "$FOLLOWERS"; do
  [[ -x $program ]] && continue
  echo "followers.sh: $program: not found; run swift build -c release here and in .." >&2
  exit 69
done
last=$(($(nproc) - 1))
((last > 0)) || { echo "followers.sh: one processor; run it on a machine with two or more" >&2; exit 69; }
export TUTTI_PATCHES=${TUTTI_PATCHES:-$here/../Patches}
results=$(mktemp -d -p /dev/shm)
awake='' peer=''
trap '[[ -z $awake$peer ]] || kill $awake $peer 2>/dev/null; rm -r "$results"' EXIT
gcc -O2 -Wall -Wextra -pthread -o "$results/awake" "$here/awake.c"
"$results/awake" &
awake=$!

# processor PID: the CPU time of each thread so far, one line "name nanoseconds" each.
processor() {
  local task
  for task in /proc/"$1"/task/*; do
    echo "$(tr ' ' _ <"$task/comm") $(cut -d ' ' -f 1 "$task/schedstat")"
  done
}

# steal: the time so far for which the host ran something else, of all processors together, in units of 10 ms.
steal() { awk '/^cpu / {print $9}' /proc/stat; }

# play NAME COUNT [--tutti]: one run; writes its results to $results/NAME.*
play() {
  local name=$1 count=$2 line
  shift 2
  XDG_STATE_HOME=$results taskset -c "0-$((last - 1))" "$TUTTI" peer --name Master --port "$master" --discovery off \
    --audio none --bpm 120 --start --connect "127.0.0.1:$port" --duration "$seconds" --json --trace "$results/$name.trace" \
    </dev/null >"$results/$name.peer" 2>"$results/$name.log" &
  peer=$!
  taskset -c "$last" "$FOLLOWERS" --count "$count" --port "$port" --master "$master" --json --ticks "$results/$name.ticks" "$@" |
    while read -r line; do
      case $line in
        *'"event":"started"'*)
          processor "$peer" >"$results/$name.before" && date +%s%N >"$results/$name.times"
          steal >"$results/$name.steal"
          if command -v cyclictest >/dev/null; then
            cyclictest -S -m -p 80 -i 2000 -h 20000 -q -D $((seconds - 1)) 2>/dev/null >"$results/$name.cyclictest" || true
          else
            sleep $((seconds - 1))
          fi
          processor "$peer" >"$results/$name.after" && date +%s%N >>"$results/$name.times"
          steal >>"$results/$name.steal"
          ;;
        *'"event":"report"'*) echo "$line" >"$results/$name.report" ;;
      esac
    done || true
  wait "$peer" || true
  peer=
  python3 - "$here" "$results/$name" "$seconds" <<'PYTHON'
import json, os, sys
sys.path.insert(0, sys.argv[1] + "/Lab/tools")
from figures import fail, figures
base, seconds = sys.argv[2], int(sys.argv[3])
name = os.path.basename(base)
def lines(end): return open(base + end).read().splitlines()
try:
    report = json.loads(lines(".report")[0])
    trace = [json.loads(line) for line in lines(".trace")]
    times = [int(each) for each in lines(".times")]
    stolen = [int(each) for each in lines(".steal")]
    before = dict(line.split() for line in lines(".before"))
    after = [line.split() for line in lines(".after")]
except (OSError, ValueError, IndexError) as error:
    print(*lines(".log")[-5:], sep="\n", file=sys.stderr)
    fail(f"{name}: did not play to its end ({error})")
header, summary = trace[0], trace[-1].get("summary", {})
ticks = [line for line in trace if "tick" in line]
counts, due = report["counts"], [tick["due"] for tick in ticks]
late = [(tick["acted"] - tick["due"]) / 1e3 for tick in ticks]
if os.path.exists(base + ".cyclictest"):
    values = [line.split() for line in lines(".cyclictest")]
    # A line of the histogram has the latency, and one count per processor.
    rows = [[int(v) for v in row] for row in values if len(row) > 1 and all(v.isdigit() for v in row)]
    machine = [row[0] for row in rows for _ in range(sum(row[1:]))]
    print(f"{name}: cyclictest: {figures(machine)} us")
print(f"{name}: {header['scheduler']}, memory locked: {header['memory_locked']};",
      *(f"{key}={value}" for key, value in counts.items()), f"datagrams={summary.get('datagrams_sent')}",
      f"unsent={summary.get('datagrams_unsent')} dropped={summary.get('datagrams_dropped')}")
print(f"{name}: clock thread late: {figures(late)} us")
rows = [[int(word) for word in line.split()] for line in lines(".ticks")]
if len(rows) == len(due):
    print(f"{name}: first arrival after due: {figures([(row[1] - at) / 1e3 for row, at in zip(rows, due)])} us")
    print(f"{name}: last arrival after due: {figures([(row[2] - at) / 1e3 for row, at in zip(rows, due)])} us")
spread = report["spread"]
print(f"{name}: arrivals after the first arrival: " + " ".join(f"{key}={value}" for key, value in spread.items()))
span = times[1] - times[0]
taken = (stolen[1] - stolen[0]) * 1e7 / (span * os.cpu_count())
print(f"{name}: the host took {100 * taken:.2f} % of the processors")
used, total = {}, 0
for thread, value in after:
    share = (int(value) - int(before.get(thread, 0))) / span
    used[thread] = used.get(thread, 0) + share
whole = sum(used.values())
print(f"{name}: processor: {100 * whole:.1f} %:", *(f"{key} {100 * value:.1f}" for key, value in used.items() if value > 0.0005))
complete = counts["missing"] == counts["duplicates"] == counts["unexpected"] == 0 and counts["ticks"] == len(ticks) > 0 \
    and counts["ticks_received"] == len(ticks) * counts["followers"]
ordered = sorted(late)
p999 = ordered[max(0, -(-999 * len(ordered) // 1000) - 1)]
json.dump({"complete": complete, "processor": whole, "p999": p999}, open(base + ".json", "w"))
PYTHON
}

echo "tutti $("$TUTTI" --version), $(uname -sr), $(nproc) processors, $seconds s at 120 BPM"
play one 1
play many "$most"
play one-tutti 1 --tutti
play many-tutti "$most" --tutti
python3 - "$results" <<'PYTHON'
import json, sys
one, many, one_tutti, many_tutti = (
    json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("one", "many", "one-tutti", "many-tutti"))
passed = True
def judge(name, good, figure, limit):
    global passed
    passed = passed and good
    print(f"RESULT {name} {'pass' if good else 'fail'} figure={figure} limit={limit}")
for kind, few, all in ("plain", one, many), ("tutti", one_tutti, many_tutti):
    complete = few["complete"] and all["complete"]
    judge(f"every-tick-{kind}", complete, "all" if complete else "lost-or-duplicate", "all")
    judge(f"processor-{kind}", all["processor"] <= 0.5, f"{100 * all['processor']:.1f}%", "50%")
    judge(f"lateness-{kind}", all["p999"] <= 2 * few["p999"], f"{all['p999']:.1f}us", f"{2 * few['p999']:.1f}us")
sys.exit(not passed)
PYTHON
