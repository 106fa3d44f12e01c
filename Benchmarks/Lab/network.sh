# Hosts on a network inside the lab's guest; sourced by scenarios.

# The networks, by their names: what netem does to all that a host sends. netem clamps delays below zero, so a delay
# stands well above its deviation or the network has a floor it should not have.
netem() {
  case $1 in
    still) echo delay 0.1ms ;;
    lan) echo delay 0.5ms 0.1ms distribution normal ;;
    wifi) echo delay 5ms 1ms distribution normal loss 1% ;;
    poor) echo delay 5ms 5ms distribution pareto loss 3% ;;
    *) echo "network.sh: $1: no such network; give still, lan, wifi or poor" >&2; return 64 ;;
  esac
}

ahead=()

# hosts N NETWORK: makes the hosts 1...N, network namespaces on one bridge, at 10.99.0.1...N; those of before are gone.
# They would share one CLOCK_MONOTONIC, and a follower that takes clocks to be equal would look perfect. So each has a
# time namespace too, its clock ahead by a number of seconds that only the scenario knows: ahead[N].
hosts() {
  local n shape
  shape=$(netem "$2")
  for n in "${!ahead[@]}"; do
    ip link del "port$n"
    ip netns del "host$n"
  done
  [[ ${#ahead[@]} == 0 ]] || ip link del lab0
  ahead=()
  ip link add lab0 type bridge
  ip link set lab0 up
  for n in $(seq "$1"); do
    ahead[n]=$(shuf -i 1000-99999 -n 1)
    ip netns add "host$n"
    ip link add "port$n" type veth peer name "net$n"
    ip link set "port$n" master lab0 up
    ip link set "net$n" netns "host$n"
    ip -n "host$n" link set lo up
    ip -n "host$n" address add "10.99.0.$n/24" dev "net$n"
    ip -n "host$n" link set "net$n" up
    # shellcheck disable=SC2086 # words of netem's
    tc -n "host$n" qdisc add dev "net$n" root netem $shape
  done
}

# on N PROGRAM...: runs it on host N.
on() {
  local n=$1
  shift
  ip netns exec "host$n" unshare --time --fork --kill-child --monotonic "${ahead[n]}" "$@"
}
