#!/usr/bin/env bash
# missing-card.sh
#
# Does a peer use a sound card that appears after its start? The peer plays sticks.yaml to the default device, which is the
# loopback card. The module of the card is not loaded when the peer starts, and is loaded five seconds later.
#
# Expected: the peer starts and reports that the card is not usable, and once that it is available. The card plays within 2 s
# after it has appeared. The hits recorded after that are within 1 frame of their grid, and none is missing. The peer leaves
# on time with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
tools linkcap

export HOME=$scratch
echo 'pcm.!default {type plug slave.pcm "hw:Loopback,0,0"}' >"$HOME/.asoundrc"
card unload
peer ada --patch "$lab/sticks.yaml" --audio alsa --start --bpm 120 --duration 30
player=$!
ready ada || complain "the peer does not start without the card"
sleep 5
card load
since=$(milliseconds)
if await 10 "the player on the card" playing; then
  took=$(($(milliseconds) - since))
  echo "playing $took ms after the card has appeared"
  [[ $took -le 2000 ]] || complain "more than 2000 ms"
  sleep 2
  linkcap 10 "$results/load" hw:Loopback,1,0 >"$results/load.txt" || complain "nothing could be recorded"
else
  complain "the card is not used"
fi
wait "$player" || complain "the peer ended with status $?"
if report=$(hits.py "$results/load0.wav" 12000 "$(awk '{print $3}' "$results/load.txt")" "$results/ada.trace"); then
  echo "$report"
  at_most "$(figure max <<<"$report")" 1 || complain "hits are not on the grid"
  [[ $(figure missing <<<"$report")$(figure duplicates <<<"$report")$(figure unrecorded <<<"$report") == 000 ]] ||
    complain "hits are missing, duplicate or not recorded"
  [[ $(figure due <<<"$report") -ge 39 ]] || complain "the recording contains less than ten seconds of the rhythm"
else
  complain "no hits in the recording"
fi
missing=$(grep -c ': not usable now, so' "$results/ada.log" || true) found=$(grep -c ': available now' "$results/ada.log" || true)
echo "messages of the peer: missing $missing times, available $found times"
[[ $missing == 1 && $found == 1 ]] || complain "not one message each that the card is not usable and available"
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${failures}_not_as_expected" 0
