#!/usr/bin/env bash
# sound-server-restart.sh
#
# Does a peer survive restarts of PipeWire? The peer plays sticks.yaml to the device `default`, which is PipeWire here.
# PipeWire plays to the loopback card, which is recorded. PipeWire does not run when the peer starts, and is started five
# seconds later. Then PipeWire and its session manager, WirePlumber 0.4, are terminated, and started again after two seconds.
# Then they are killed, and started again at once.
#
# The ALSA plugin of PipeWire is in the package pipewire-alsa, which `lab --install` does not install, because it conflicts with
# pulseaudio. If it is not installed, the scenario unpacks it in the guest from .build/debian.
# Debian packages: pipewire wireplumber
#
# Expected: the peer starts and reports that the device is not usable, and once that it is available. It reports each loss and
# each return of PipeWire once. The card plays within 2 s after the server is ready, that is, after WirePlumber has configured
# the card. Recordings begin five seconds later. Their hits are within 1 ms of their grid, and none is missing. The grid is
# within 4 ms of the due times. The loopback card updates its position only at the ticks of the kernel timer, every 4 ms.
# The position that PipeWire reads is therefore up to 4 ms old, and the delay that it reports is up to 4 ms too long. The
# peer leaves on time with status 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"

# configured: whether the session manager has configured the card.
configured() { [[ $(pw-link -i) == *card:playback_FL* ]]; }

plugin=$(dirname "$(ldconfig -p | awk '/libasound.so.2 / {print $NF; exit}')")/alsa-lib/libasound_module_pcm_pipewire.so
if [[ ! -e $plugin ]]; then
  find "$lab/../../.build/debian" -name 'pipewire-alsa_*.deb' -exec dpkg-deb -x {} / \; || true
  [[ -e $plugin ]] || {
    echo "$scenario: pipewire-alsa: not installed; run mkdir -p .build/debian; cd .build/debian; apt-get download pipewire-alsa" >&2
    exit 69
  }
fi
tools linkcap

export HOME=$scratch/home XDG_RUNTIME_DIR=$scratch/runtime
mkdir -p -m 700 "$HOME" "$XDG_RUNTIME_DIR"
# The card is declared here, because the session manager finds cards through udev, which does not run in the guest.
cat >"$scratch/pipewire.conf" <<'SERVER'
context.properties = { core.daemon = true, core.name = pipewire-0, support.dbus = false }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert, api.alsa.* = alsa/libspa-alsa, support.* = support/libspa-support }
context.modules = [
  { name = libpipewire-module-rt, args = { nice.level = -11, rt.prio = 88 }, flags = [ ifexists, nofail ] }
  { name = libpipewire-module-protocol-native }
  { name = libpipewire-module-metadata }
  { name = libpipewire-module-spa-device-factory }
  { name = libpipewire-module-spa-node-factory }
  { name = libpipewire-module-client-node }
  { name = libpipewire-module-client-device }
  { name = libpipewire-module-access }
  { name = libpipewire-module-adapter }
  { name = libpipewire-module-link-factory }
  { name = libpipewire-module-session-manager }
]
context.objects = [
  { factory = spa-node-factory, args = { factory.name = support.node.driver, node.name = Dummy-Driver,
      node.group = pipewire.dummy, priority.driver = 20000 } }
  { factory = adapter, args = { factory.name = api.alsa.pcm.sink, node.name = card, media.class = Audio/Sink,
      api.alsa.path = "hw:Loopback,0,0", audio.format = S16LE, audio.rate = 48000, audio.channels = 2,
      audio.position = [ FL FR ], priority.driver = 1000, priority.session = 1000 } }
]
SERVER
# WirePlumber ends if one of its parts cannot reach D-Bus or logind, which do not run in the guest. The parts that use
# them are disabled here.
mkdir -p "$HOME"/.config/wireplumber/{main,bluetooth}.lua.d
cat >"$HOME/.config/wireplumber/main.lua.d/80-lab.lua" <<'MANAGER'
alsa_monitor.enabled = false
v4l2_monitor.enabled = false
libcamera_monitor.enabled = false
default_access.properties["enable-flatpak-portal"] = false
MANAGER
echo 'bluez_monitor.enabled = false' >"$HOME/.config/wireplumber/bluetooth.lua.d/80-lab.lua"

# start_server: starts PipeWire and its session manager.
start_server() {
  pipewire -c "$scratch/pipewire.conf" 2>>"$results/pipewire.log" &
  server=$!
  await 10 "PipeWire" test -S "$XDG_RUNTIME_DIR/pipewire-0"
  wireplumber >>"$results/wireplumber.log" 2>&1 &
  manager=$!
}

# stop_server SIGNAL: stops both.
stop_server() {
  kill "-$1" "$manager" "$server"
  wait "$manager" "$server" 2>/dev/null || true
}

# record NAME: awaits the peer on the started server, then records ten seconds.
record() {
  local since took
  await 10 "the server" configured || complain "$1: the server does not become ready"
  since=$(milliseconds)
  # PipeWire plays to the card while a program is connected to it.
  if await 10 "the player on the server" playing; then
    took=$(($(milliseconds) - since))
    echo "$1: playing $took ms after the server was ready"
    [[ $took -le 2000 ]] || complain "more than 2000 ms"
  else
    complain "$1: the server is not used"
  fi
  sleep 5
  linkcap 10 "$results/$1" hw:Loopback,1,0 >"$results/$1.txt" || complain "nothing could be recorded: $1"
}

peer ada --patch "$lab/sticks.yaml" --audio alsa --start --bpm 120 --duration 80
player=$!
ready ada || complain "the peer does not start without the server"
sleep 5
start_server
record start
stop_server TERM
sleep 2
start_server
record terminated
stop_server KILL
start_server
record killed
wait "$player" || complain "the peer ended with status $?"

for name in start terminated killed; do
  report=$(hits.py "$results/${name}0.wav" 12000 "$(awk '{print $3}' "$results/$name.txt")" "$results/ada.trace") || {
    complain "no hits in the recording: $name"
    continue
  }
  echo "$name, $report"
  # A frame at 48 kHz is 20.8 us.
  at_most "$(figure max <<<"$report")" 48 || complain "hits are not on the grid: $name"
  [[ $(figure missing <<<"$report")$(figure duplicates <<<"$report")$(figure unrecorded <<<"$report") == 000 ]] ||
    complain "hits are missing, duplicate or not recorded: $name"
  [[ $(figure due <<<"$report") -ge 39 ]] || complain "the recording contains less than ten seconds of the rhythm: $name"
  median=$(sed -n 's/^after the due time:.* p50=\([-0-9.]*\).*/\1/p' <<<"$report")
  # The sound of the stick needs 146 us to exceed the rounding noise.
  away=$(awk -v a="$median" 'BEGIN {d = a - 146; printf "%.1f", d < 0 ? -d : d}')
  echo "$name, away from the due times by $away us"
  at_most "$away" 4000 || complain "the grid is more than 4 ms from the due times: $name"
done

# expect COUNT WHAT PATTERN: compares the number of messages of the peer.
expect() {
  local count
  count=$(grep -c "$3" "$results/ada.log" || true)
  echo "messages of the peer, $2: $count"
  [[ $count == "$1" ]] || complain "not $1 messages: $2"
}
grep '^tutti: sound card' "$results/ada.log" || true
expect 1 "not usable at the start" ': not usable now, so'
expect 1 "available" ': available now'
expect 2 "lost" ': lost ('
expect 2 "available again" ': available again'
losses=$(pick "$results/ada.json" card_losses)
echo "losses in the summary of the peer: $losses"
[[ $losses == 2 ]] || complain "not 2 losses in the summary"
expect 0 "another reason of the same loss" '; trying again'
verdict=fail
[[ $failures == 0 ]] && verdict=pass
result "$verdict" "${failures}_not_as_expected" 0
