#!/usr/bin/env bash
# vanishing-card.sh
#
# Does a peer survive the loss of its sound card? The peer plays sticks.yaml to the loopback card. The card is unbound and
# bound again; then it is unbound, its module is removed, and loaded again.
#
# Expected: the peer continues and reports that the card is gone and that it is back. The card plays again within 2 s after
# its return. The hits recorded after that are within 1 frame of their grid, and the grid is the same as before: the median
# delay of a hit after its due time equals that of a recording before the loss within 1 frame. (A time stamp of the card may
# be 4 ms old, one tick of the kernel timer, but the best of a thousand determines the first frame of a recording within a
# microsecond.) Every hit that is due in a recording is recorded, 39 or 40 in ten seconds. The peer leaves on time with
# status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools linkcap

# ended PID: whether the process has ended.
ended() { ! kill -0 "$1"; }

# record NAME: records ten seconds of the card.
record() { linkcap 10 "$results/$1" hw:Loopback,1,0 >"$results/$1.txt" || complain "nothing could be recorded: $1"; }

# interrupt REMOVE RESTORE: removes and restores the card, then records ten seconds.
interrupt() {
  local removal since took
  card "$1" &
  removal=$!
  # The kernel removes a card only when its players have closed it.
  await 5 "card $1, which waits for the peer to close it" ended "$removal"
  sleep 3
  card "$2"
  since=$(milliseconds)
  if await 10 "the player on the card again" playing; then
    took=$(($(milliseconds) - since))
    echo "card $2: playing again after $took ms"
    [[ $took -le 2000 ]] || complain "more than 2000 ms"
  else
    complain "the card is not used again"
  fi
  sleep 2
  record "$2"
}

peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --start --bpm 120 --duration 60
player=$!
await 20 "the player on the card" playing
sleep 3
record before
interrupt unbind bind
interrupt unload load
wait "$player" || complain "the peer ended with status $?"

# A frame at 48 kHz in microseconds.
frame=20.9 reference=
for name in before bind load; do
  report=$(hits.py "$results/${name}0.wav" 12000 "$(awk '{print $3}' "$results/$name.txt")" "$results/ada.trace") || {
    complain "no hits in the recording: $name"
    continue
  }
  echo "$name, $report"
  at_most "$(figure max <<<"$report")" 1 || complain "hits are not on the grid"
  [[ $(figure missing <<<"$report")$(figure duplicates <<<"$report")$(figure unrecorded <<<"$report") == 000 ]] ||
    complain "hits are missing, duplicate or not recorded"
  [[ $(figure due <<<"$report") -ge 39 ]] || complain "the recording contains less than ten seconds of the rhythm"
  median=$(sed -n 's/^after the due time:.* p50=\([-0-9.]*\).*/\1/p' <<<"$report")
  reference=${reference:-$median}
  moved=$(awk -v a="$median" -v b="$reference" 'BEGIN {d = a - b; printf "%.1f", d < 0 ? -d : d}')
  echo "$name, moved by $moved us"
  at_most "$moved" "$frame" || complain "the grid differs by more than a frame from the grid before"
done
gone=$(grep -c ': lost (' "$results/ada.log" || true) back=$(grep -c ': available again' "$results/ada.log" || true)
echo "messages of the peer: gone $gone times, back $back times"
[[ $gone == 2 && $back == 2 ]] || complain "not two messages each that the card is gone and back"
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${failures}_not_as_expected" 0
