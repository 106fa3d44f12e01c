#!/usr/bin/env bash
# clock-outputs.sh
#
# What do three subscribers of the clock port receive, of which the second has an offset of -40 ms and the third of +30 ms? The rhythm plays
# for three seconds at 125 BPM, and the clock runs on before and after (`--clock-always`). Subscribers of their own get the kernel's
# time stamp of each event.
#
# Expected: Start, 150 ticks and Stop at each subscriber, without another tick in between. Each of these events is 40 ms earlier, or 30 ms
# later, than at the first subscriber, within 1 ms. Before Start and after Stop, the intervals of the ticks are 20 ms, within 1 ms, and the
# first tick follows Stop within 1 ms.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools seqstamps

subscribers=()
for number in 1 2 3; do
  seqstamps ada:clock 60 >"$results/stamps-$number.txt" &
  subscribers+=($!)
  await 10 "subscriber $number" eval "(( \$(aconnect -l | grep -c \"'seqstamps'\") == $number ))"
done
# The numbers of the clients, in the order in which they were created.
mapfile -t clients < <(aconnect -l | awk "/^client .*'seqstamps'/ {print \$2 + 0}")
{
  sleep 2
  echo start
  sleep 3
  echo stop
  sleep 2
  echo leave
} | XDG_STATE_HOME=$scratch/ada "$TUTTI" peer --name ada --discovery off --midi --audio none --bpm 125 --clock-always \
  --clock-offset "${clients[1]}=-40" --clock-offset "${clients[2]}:0=30" >"$results/ada.log" 2>&1
kill "${subscribers[@]}"
wait "${subscribers[@]}" || true
grep "gets the clock" "$results/ada.log"

errors=$(python3 - "$results" <<'PYTHON'
import sys
errors, runs = 0, []
def expect(right, text):
    global errors
    if not right: errors += 1; print("not as expected:", text, file=sys.stderr)
for number, offset in zip("123", (0, -40, 30)):
    lines = [line.split() for line in open(f"{sys.argv[1]}/stamps-{number}.txt")]
    events = [(int(line[0]) / 1e6, line[1]) for line in lines if line[0].isdigit()]
    kinds = [kind for _, kind in events]
    start, stop = kinds.index("start"), kinds.index("stop")
    run = events[start:stop + 1]
    before, after = events[:start], events[stop + 1:]
    expect([kind for _, kind in before + after] == ["clock"] * len(before + after), f"{number}: {kinds}")
    expect(len(before) > 50 and len(after) > 80, f"{number}: {len(before)} ticks before Start, {len(after)} after Stop")
    # The peer learns of a new subscription within a few ticks.
    for ticks in before[10:], after:
        wrong = [b[0] - a[0] for a, b in zip(ticks, ticks[1:]) if abs(b[0] - a[0] - 20) > 1]
        expect(not wrong, f"{number}: intervals {wrong}")
    expect(after[0][0] - events[stop][0] < 1, f"{number}: first tick {after[0][0] - events[stop][0]:.3f} ms after Stop")
    expect(abs(run[1][0] - run[0][0] - 10) < 1, f"{number}: first tick {run[1][0] - run[0][0]:.3f} ms after Start")
    runs.append(run)
    expect([kind for _, kind in run] == [kind for _, kind in runs[0]] and len(run) > 140, f"{number}: {len(run)} events")
    wrong = [a[0] - b[0] for a, b in zip(run, runs[0]) if abs(a[0] - b[0] - offset) > 1]
    expect(not wrong, f"{number}: offsets {wrong[:5]}")
    print(f"{number}: {len(before)} ticks, {len(run) - 2} ticks of the rhythm, {len(after)} ticks; offset "
          f"{sum(a[0] - b[0] for a, b in zip(run, runs[0])) / len(run):.3f} ms", file=sys.stderr)
print(errors)
PYTHON
)
verdict=fail
[[ $errors == 0 ]] && verdict=pass
result "$verdict" "${errors}_errors" 0
