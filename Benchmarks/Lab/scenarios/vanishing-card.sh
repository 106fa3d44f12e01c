#!/usr/bin/env bash
# vanishing-card.sh
#
# Does a peer outlive its sound card? It plays sticks.yaml into the loopback card, which is unplugged and plugged in
# again; then unplugged, its module removed, and loaded again.
#
# Expected: the peer plays on, says that the card is gone and that it is back, has it running again within 2 s of its
# return, and the hits recorded after that lie on their grid within 1 frame. That grid is the one from before: a hit
# comes as long after it was due, at the median, as in a recording made before the card went, within 1 frame. (A stamp
# of the card may be 4 ms old, a tick of the kernel's timer, but the best of a thousand tells a recording's first frame
# within a microsecond.) Every hit due in a recording is heard, 39 or 40 in ten seconds. The peer leaves at its own
# time, with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools linkcap
wrong=0

# complain WHAT: something expected did not come true.
complain() { echo "not as expected: $1"; wrong=$((wrong + 1)); }
playing() { grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status; }
ended() { ! kill -0 "$1"; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# record NAME: ten seconds of what is played.
record() { linkcap 10 "$results/$1" hw:Loopback,1,0 >"$results/$1.txt" || complain "nothing could be recorded: $1"; }

# turn AWAY BACK: the card goes and comes, and ten seconds of what is played then are recorded.
turn() {
  local pulling since took
  card "$1" &
  pulling=$!
  # The kernel lets go of a card only once its players have closed it.
  await 5 "card $1, which waits for the peer to close it" ended "$pulling"
  sleep 3
  card "$2"
  since=$(milliseconds)
  if await 10 "the player on the card again" playing; then
    took=$(($(milliseconds) - since))
    echo "card $2: playing again after $took ms"
    [[ $took -le 2000 ]] || complain "it took more than 2000 ms"
  else
    complain "the card was not taken back"
  fi
  sleep 2
  record "$2"
}

peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --start --bpm 120 --duration 60
player=$!
await 20 "the player on the card" playing
sleep 3
record before
turn unbind bind
turn unload load
wait "$player" || complain "the peer ended with status $?"

# A frame at 48 kHz, microseconds.
frame=20.9 usual=
for way in before bind load; do
  report=$(hits.py "$results/${way}0.wav" 12000 "$(awk '{print $3}' "$results/$way.txt")" "$results/ada.trace") || {
    complain "no hits in the recording: $way"
    continue
  }
  echo "$way, $report"
  at_most "$(figure max <<<"$report")" 1 || complain "hits off their grid"
  [[ $(figure missing <<<"$report")$(figure doubled <<<"$report")$(figure unheard <<<"$report") == 000 ]] ||
    complain "hits missing, unheard or doubled"
  [[ $(figure due <<<"$report") -ge 39 ]] || complain "the recording is not of ten seconds of the rhythm"
  median=$(sed -n 's/^after they were due:.* p50=\([-0-9.]*\).*/\1/p' <<<"$report")
  usual=${usual:-$median}
  moved=$(awk -v a="$median" -v b="$usual" 'BEGIN {d = a - b; printf "%.1f", d < 0 ? -d : d}')
  echo "$way, moved by $moved us"
  at_most "$moved" "$frame" || complain "another grid than before the card went, by more than a frame"
done
gone=$(grep -c ' is gone' "$results/ada.log" || true) back=$(grep -c ' is back' "$results/ada.log" || true)
echo "the peer said: gone $gone times, back $back times"
[[ $gone == 2 && $back == 2 ]] || complain "gone and back should have been said twice each"
verdict=fail
[[ $wrong == 0 ]] && verdict=pass
result "$verdict" "${wrong}_not_as_expected" 0
