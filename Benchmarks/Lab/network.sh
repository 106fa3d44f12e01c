# Hosts on a network inside the guest of the lab. Sourced by scenarios.

# netem NAME: the netem parameters of a network, applied to everything that a host sends. On wifi and busy, the lower edge of the delay
# is soft, and on busy, packets are lost in bursts (Gilbert and Elliott). netem clamps negative delays to 0. The delay must therefore be well above its deviation, otherwise the network has an artificial minimum delay.
netem() {
  case $1 in
    still) echo delay 0.1ms ;;
    lan) echo delay 0.5ms 0.1ms distribution normal ;;
    wifi) echo delay 5ms 1ms distribution normal loss 1% ;;
    busy) echo delay 8ms 2ms distribution paretonormal loss gemodel 1% 20% ;;
    poor) echo delay 5ms 5ms distribution pareto loss 3% ;;
    *) echo "network.sh: $1: no such network; give still, lan, wifi, busy or poor" >&2; return 64 ;;
  esac
}

# The number of seconds by which the clock of each host is ahead.
ahead=()

# hosts N NETWORK: creates the hosts 1...N, network namespaces on one bridge at 10.99.0.1...N, and deletes the previous
# hosts. Network namespaces share one CLOCK_MONOTONIC, so that a follower that assumes equal clocks would look perfect.
# Each host therefore has a time namespace, with a clock that is ahead by a random number of seconds: ahead[N].
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
    # shellcheck disable=SC2086 # several parameters
    tc -n "host$n" qdisc add dev "net$n" root netem $shape
  done
}

# on N PROGRAM...: runs the program on host N.
on() {
  local n=$1
  shift
  ip netns exec "host$n" unshare --time --fork --kill-child --monotonic "${ahead[n]}" "$@"
}
