#!/usr/bin/env bash
# snapcast.sh [NETWORK] [RUNS] [SECONDS]
#
# How large is the difference between the onsets of two Tutti peers, compared with two clients of Snapcast, a multi-room
# player? There are two hosts on the network lan (default), wifi, poor or still; both pairs play RUNS (10) times, in
# alternating order, on new hosts. The hits are side sticks on every eighth note at 120 BPM. For Snapcast, host 1 runs
# snapserver (PCM, default buffer of 1 s), which streams a recording of these hits, and a client; host 2 runs the other
# client. Both players of a pair play to substreams of the loopback card, which one program records from the same frame on.
# The last SECONDS (10) of the recording are compared, at least 10 s after both have begun to play.
#
# Expected: all hits of both players are recorded, in every run. There is no limit for the figures.
#
# Debian packages: snapserver snapclient
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
source "$lab/runs.sh"
network=${1:-lan} runs=${2:-10} seconds=${3:-10} settle=10
netem "$network" >/dev/null
tools linkcap
midifile.py sticks 60 "$scratch/sticks.mid"
fluidsynth -q -n -i -R 0 -C 0 -r 48000 -F "$scratch/sticks.wav" "$soundfont" "$scratch/sticks.mid" >/dev/null 2>&1
# The samples without the header of the file.
tail -c +45 "$scratch/sticks.wav" >"$scratch/sticks.raw"

# snapclient selects cards by name.
cat >"$scratch/asound.conf" <<'CONF'
</usr/share/alsa/alsa.conf>
pcm.snap0 { type hw card Loopback device 0 subdevice 0 hint { show on description "first" } }
pcm.snap1 { type hw card Loopback device 0 subdevice 1 hint { show on description "second" } }
CONF

# both_playing: whether both substreams of the card are in use.
both_playing() { [[ $(grep -l RUNNING /proc/asound/Loopback/pcm0p/sub[01]/status | wc -l) == 2 ]]; }
# compare: waits until both play, then records.
compare() {
  await 30 "both players" both_playing
  sleep "$settle"
  linkcap "$seconds" "$results/pair" hw:Loopback,1,0 hw:Loopback,1,1 >"$results/linkcap.txt"
}

play_tutti() {
  host=2 peer ben --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,1 --duration $((settle + seconds + 10))
  ready ben
  host=1 peer ada --patch "$lab/sticks.yaml" --audio alsa:hw:Loopback,0,0 --connect 10.99.0.2:5004 --start --bpm 120 \
    --duration $((settle + seconds + 5))
  compare
  wait
}

# client N: runs the client of Snapcast on host N.
client() {
  ALSA_CONFIG_PATH=$scratch/asound.conf on "$1" snapclient -h 10.99.0.1 --hostID "client$1" -s "snap$(($1 - 1))" \
    --logsink stderr >"$results/client$1.log" 2>&1 &
  programs+=($!)
}

play_snapcast() {
  local programs=() data=$scratch/snapserver
  rm -rf "$data"
  mkdir -p "$data"
  cat >"$data/conf" <<CONF
[server]
datadir = $data
[http]
enabled = false
[stream]
source = file://$scratch/sticks.raw?name=sticks&sampleformat=48000:16:2
codec = pcm
CONF
  on 1 snapserver --config "$data/conf" >"$results/snapserver.log" 2>&1 &
  programs+=($!)
  await 10 snapserver eval 'ip netns exec host1 ss -ltn | grep :1704'
  client 1
  client 2
  compare
  stop "${programs[@]}"
}

for run in 0 $(seq "$runs"); do
  for pair in $(order "$run" tutti snapcast); do
    hosts 2 "$network"
    start_phase "$run"
    # Run 0 is not measured: after it, the programs are in memory.
    if ((run == 0)); then
      settle=2 seconds=2 "play_$pair"
      continue
    fi
    "play_$pair"
    onsetdifference.py "$((4 * seconds - 2))" "$results"/pair[01].wav >"$results/difference.txt" || complain "run $run of $pair"
    record "$run" "$pair" <"$results/difference.txt"
    if ((run == 1)); then for n in 0 1; do mv "$results/pair$n.wav" "$results/$pair$n.wav"; done; fi
  done
done
rm -f "$results"/pair*
echo "network $network: $(netem "$network"), snapserver $(dpkg-query -W -f '${Version}' snapserver)"
table "$runs"
