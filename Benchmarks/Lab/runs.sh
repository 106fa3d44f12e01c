# Runs of a comparison. Sourced by relayed.sh, and by scenarios of the lab after scenario.sh. A script runs all programs once
# in every run.
#
# The runs differ in three things: the random numbers of the network, whose seed is the number of the run; a pause of 0 to 1 s
# before each program, which the seed decides, so that the program starts at another moment relative to the timer of the kernel;
# and the order of the programs.

# order RUN NAME...: prints the names in this order in odd runs, and in the opposite order in even runs.
order() {
  local run=$1
  shift
  if ((run % 2)); then printf '%s\n' "$@"; else printf '%s\n' "$@" | tac; fi
}

# start_phase SEED: sleeps for 0 to 1 s, a time that the seed decides.
start_phase() {
  local part
  RANDOM=$1
  part=$((RANDOM * 3))
  sleep "0.$(printf %05d "$part")"
}

# stop PID...: ends programs that were started in the background with `on`, and waits for them. PID is that of a shell, whose
# child is unshare, whose child is the program.
stop() {
  local pid child
  for pid in "$@"; do
    while child=$(pgrep -o -P "$pid"); do pid=$child; done
    kill "$pid" || true
  done
  wait "$@" || true
}

# record RUN PROGRAM: appends the pairs FIGURE_us=VALUE and FIGURE_ppm=VALUE on standard input to runs.txt.
record() {
  tr ' ' '\n' | sed -n "s/^\([a-z0-9_]*_\(us\|ppm\)\)=\(-\{0,1\}[0-9.e+-]*\)$/$1 $2 \1 \3/p" >>"$results/runs.txt"
}

# table RUNS: prints the table of runs.txt and ends the scenario. The scenario fails after a complaint, or if a figure of a
# program lacks one of the RUNS.
table() {
  local verdict=pass
  ((failures == 0)) || verdict=fail
  comparison.py table "$1" "$results/runs.txt" | tee "$results/table.txt" || verdict=fail
  result "$verdict" "$(figure programs <"$results/table.txt")_programs" "$1_runs"
}
