#!/usr/bin/env bash
# round-trip.sh [SEED]
#
# Do notes and controllers arrive unchanged? aplaymidi plays a dense file with all kinds of channel messages on all channels
# into one peer. arecordmidi records the output of a second peer, which is connected to the first by RTP-MIDI.
#
# Expected: the recorded events are the sent events, in order, on the channel of the player, except the drums, which stay on
# channel 10. aconnect lists the ports.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
midifile.py dense "${1:-1}" "$results/sent.mid"

peer ada --midi --audio none --port 5004 --duration 60
peer ben --midi --audio none --port 6004 --duration 60 --connect 127.0.0.1:5004
ready ada
ready ben
for port in "ada clock" "ada notes" "ada in" "ben clock" "ben notes" "ben in"; do
  # shellcheck disable=SC2086 # client and port
  await 10 "port $port" address $port
done
await 10 "the connection" grep -q joined "$results/ben.log"
aconnect -l >"$results/ports.txt"

await 10 "a channel" grep -q "on MIDI channel" "$results/ada.log"
channel=$(sed -n 's/.*on MIDI channel \([0-9]*\).*/\1/p' "$results/ada.log" | tail -1)
arecordmidi -p "$(address ben notes)" "$results/recorded.mid" &
recorder=$!
sleep 1
aplaymidi -d 2 -p "$(address ada in)" "$results/sent.mid"
sleep 1
kill "$recorder"
wait "$recorder" || true
verdict=pass
report=$(midifile.py compare "$results/sent.mid" "$results/recorded.mid" "$channel") || verdict=fail
echo "$report"
result "$verdict" "$(figure recorded <<<"$report")_of_$(figure sent <<<"$report")" all_equal
