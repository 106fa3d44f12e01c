#!/usr/bin/env bash
# hostile-neighbour.sh [SECONDS] [RATE]
#
# Can a host on the network of an ensemble change what is heard? ada plays at 119.3 BPM for SECONDS (600), and ben, cem and dan follow
# on the network lan. ben plays about two notes per second until four fifths of SECONDS. Every host receives all frames, as in a Wi-Fi network without protection. The
# scenario has three parts:
# - The four peers have a passkey.
# - The same, and a hostile host records all datagrams and sends RATE (20 000) datagrams per second: recorded and changed ones, and
#   forged ones with the identities, addresses and SSRCs of the peers (tools/neighbour.c).
# - The four peers have no passkey, and no rhythm plays. The hostile host does the same for 60 s. Five seconds later, ada starts.
#
# Expected: the lists of ticks and notes of each peer are the same in the first two parts. The lists of notes do not contain the MIDI
# channel: peers choose their channels by their identities, which are random. p99.9 of the lateness of the ticks of ada
# is at most 1.2 times that of the first part, and each peer takes at most 1 MB more memory. In the third part, all peers follow
# ada, none takes more than 8 MB more memory, and the stored bounds of the terms are those of a new peer. All peers end with status
# 0.
set -euo pipefail
source "$(dirname "$0")/../scenario.sh"
source "$lab/network.sh"
seconds=${1:-600} rate=${2:-20000}
tools seqstamps neighbour

# The neighbour is host 5, without the delay of a network. seqstamps runs on the host of ada, so both use the same clock.
hosts 5 lan
ip link set lab0 type bridge ageing_time 0
tc -n host5 qdisc del dev net5 root
names=(ada ben cem dan)
"$TUTTI" passkey >"$scratch/passkey.txt"

# neighbour SECONDS: the hostile host.
neighbour() { ip netns exec host5 neighbour net5 "$1" "$rate" >"$results/neighbour-$part.txt"; }
# commands: what ben's player does.
commands() {
  local n
  # The first note must come after ada has joined.
  until grep -q "^ada at .* joined" "$results/$part-ben.log"; do sleep 0.5; done
  sleep 2
  # On a busy guest, a note takes up to 0.55 s. The last note must come before ada ends.
  for n in $(seq $((seconds * 8 / 5))); do
    echo "note $((36 + n % 48))"
    sleep 0.25
    echo "release $((36 + n % 48))"
    sleep 0.25
  done
  sleep 5
}
# run NAME OPTION...: runs a peer, with its commands from standard input.
run() {
  local name=$1 on=()
  shift
  [[ -z ${host-} ]] || on=(on "$host")
  XDG_STATE_HOME=$scratch/$part/$name "${on[@]}" "$TUTTI" peer --name "$name" --discovery off --audio none --json \
    --trace "$results/$part-$name.trace" "$@" >"$results/$part-$name.json" 2>"$results/$part-$name.log"
}
# resident NAME: the resident memory of a peer, in kB. The kernel counts the pages for smaps_rollup. VmRSS and VmHWM are
# inexact, because the kernel updates them in batches (proc_pid_status(5)). The memory of each mapping is kept in the results, to show
# where a difference comes from.
resident() {
  local process
  for process in $(pgrep -f "peer --name $1 "); do
    [[ $(</proc/"$process"/comm) == tutti ]] || continue
    awk '/^Rss/ {print $2}' "/proc/$process/smaps_rollup"
    cp "/proc/$process/smaps" "$results/$part-$1.smaps"
  done | tail -n 1
}
# followers LENGTH OPTION...: starts ben, cem and dan.
followers() {
  local length=$1
  shift
  commands | host=1 run ben --duration "$length" "$@" & peers+=($!)
  host=2 run cem --duration "$length" --connect 10.99.0.1:5004 "$@" </dev/null & peers+=($!)
  host=3 run dan --duration "$length" --connect 10.99.0.1:5004 --connect 10.99.0.2:5004 "$@" </dev/null & peers+=($!)
  for name in ben cem dan; do await 30 "peer $name" grep -q '"ready"' "$results/$part-$name.json"; done
}
# finish: waits for the peers.
finish() {
  local n
  for n in "${!peers[@]}"; do wait "${peers[n]}" || complain "$part: a peer ended with status $?"; done
}

declare -A memory
for part in quiet hostile; do
  peers=()
  followers $((seconds + 25)) --passkey-file "$scratch/passkey.txt"
  host=4 run ada --midi --passkey-file "$scratch/passkey.txt" --connect 10.99.0.1:5004 --connect 10.99.0.2:5004 \
    --connect 10.99.0.3:5004 --start --bpm 119.3 --lead-time 2000 --duration "$seconds" </dev/null & peers+=($!)
  on 4 seqstamps ada:clock $((seconds + 15)) >"$results/$part-stamps.txt" &
  subscriber=$!
  [[ $part == quiet ]] || { sleep 5; neighbour $((seconds - 5)) & }
  sleep $((seconds - 5))
  for name in "${names[@]}"; do
    memory[$part-$name]=$(resident "$name")
    # A huge page would add 2 MB to some peers, depending on the addresses of their stacks.
    ! grep -q '^AnonHugePages: *[1-9]' "$results/$part-$name.smaps" || complain "$part: $name uses huge pages"
  done
  finish
  wait "$subscriber"
  lateness.py ticks 119.3 "$results/$part-stamps.txt" "$results/$part-ada.trace" >"$results/$part-lateness.txt" ||
    complain "$part: ticks of ada"
  echo "$part, $(<"$results/$part-lateness.txt")"
  for name in "${names[@]}"; do
    # The rhythm ends at a tick that depends on the instant of the stop.
    grep -o -m $(((seconds - 2) * 47)) '^{"tick":[0-9]*' "$results/$part-$name.trace" >"$results/$part-$name.ticks"
    grep '"event":"message"' "$results/$part-$name.json" | sed -n 's/.*"midi":"\([^"]*\)".*"name":"\([^"]*\)".*/\2 \1/p' |
      sed 's/ \([89]\)[0-9a-f] / \1 /' >"$results/$part-$name.notes" || true
  done
done
wait
echo "neighbour: $(<"$results/neighbour-hostile.txt")"
for name in "${names[@]}"; do
  for list in ticks notes; do
    cmp -s "$results/quiet-$name.$list" "$results/hostile-$name.$list" || complain "the $list of $name differ"
  done
  grown=$((memory[hostile-$name] - memory[quiet-$name]))
  echo "$name: $(wc -l <"$results/hostile-$name.ticks") ticks, $(wc -l <"$results/hostile-$name.notes") notes," \
    "memory ${memory[quiet-$name]} kB, $grown kB more with the neighbour," \
    "not authentic: $(pick "$results/hostile-$name.json" datagrams_not_authentic)"
  ((grown <= 1024)) || complain "$name takes $grown kB more memory"
  [[ $(pick "$results/hostile-$name.json" ticks_skipped) == 0 ]] || complain "$name skipped ticks"
done

part=open peers=()
{ sleep 70; echo start; sleep 15; echo stop; sleep 5; echo leave; } | (
  host=4 run ada --connect 10.99.0.1:5004 --connect 10.99.0.2:5004 --connect 10.99.0.3:5004
) & peers+=($!)
seconds=30
followers 110
sleep 2
neighbour 60
for name in "${names[@]}"; do
  grown=$(($(resident "$name") - memory[quiet-$name]))
  ((grown <= 8192)) || complain "without a passkey, $name takes $grown kB more memory"
done
finish
for name in ben cem dan; do
  grep -q '"role":"follower"' "$results/open-$name.json" || complain "without a passkey, $name does not follow ada"
done
for name in "${names[@]}"; do
  [[ $(sed -n 2p "$scratch/open/$name/tutti/$name.identity") == 00000000000000000064 ]] ||
    complain "the stored bound of $name is not that of a new peer"
done

late=$(awk -v a="$(figure p99.9 <"$results/hostile-lateness.txt")" -v b="$(figure p99.9 <"$results/quiet-lateness.txt")" \
  'BEGIN {printf "%.2f", a / b}')
verdict=fail
at_most "$late" 1.2 && [[ $failures == 0 ]] && verdict=pass
result "$verdict" "$late" 1.2
