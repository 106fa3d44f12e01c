#!/usr/bin/env bash
# round-trip.sh [SEED]
#
# Do notes and controllers arrive unchanged? aplaymidi plays a dense file with all kinds of channel messages on all channels
# into one peer. arecordmidi records the output of a second peer, which is connected to the first by RTP-MIDI.
#
# Expected: the recorded events are the sent events, in order, on the channel of the player, except the drums, which stay on
# channel 10. Controllers on the channel of the second peer change the instrument of its player: they reach this peer on its
# channel and are not recorded. aconnect lists the ports.
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

# channel PEER: the MIDI channel of a peer.
channel() {
  await 10 "a channel of $1" grep -q "on MIDI channel" "$results/$1.log"
  sed -n 's/.*on MIDI channel \([0-9]*\).*/\1/p' "$results/$1.log" | tail -1
}
ada=$(channel ada) ben=$(channel ben)
arecordmidi -p "$(address ben notes)" "$results/recorded.mid" &
recorder=$!
sleep 1
aplaymidi -d 2 -p "$(address ada in)" "$results/sent.mid"
sleep 1
kill "$recorder"
wait "$recorder" || true
verdict=pass
report=$(midifile.py compare "$results/sent.mid" "$results/recorded.mid" "$ada" "$ben") || verdict=fail
echo "$report"
received=$(grep -c "$(printf '"midi":"B%X ' $((ben - 1)))" "$results/ben.json" || true)
echo "controllers for the instrument of ben: $received"
[[ $received == "$(figure shaping <<<"$report")" ]] || verdict=fail
result "$verdict" "$(figure recorded <<<"$report")_of_$(figure sent <<<"$report")" all_equal
