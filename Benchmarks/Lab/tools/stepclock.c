// stepclock step SECONDS               sets the system's clock, CLOCK_REALTIME, ahead by SECONDS, or back
// stepclock storm SECONDS TIMES MS     the same, and back again, in turn, TIMES, MS apart
// stepclock slew PPM                   lets it run fast by PPM parts in a million, at most 500, or slow; 0: as before
//
// What an administrator or a time service may do under a running peer. A slew changes the rate of CLOCK_MONOTONIC too,
// for all processes of the machine alike. The storm runs at a priority above every peer's, so that it comes between the
// kernel's stamp of a packet and the program's reading of it.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/timex.h>
#include <time.h>

static int step(double seconds) {
  const double whole = floor(seconds);
  struct timex change = {.modes = ADJ_SETOFFSET | ADJ_NANO};
  change.time.tv_sec = (time_t)whole;
  change.time.tv_usec = (long)((seconds - whole) * 1e9);
  return clock_adjtime(CLOCK_REALTIME, &change);
}

static int storm(double seconds, int times, double milliseconds) {
  const struct sched_param above = {.sched_priority = 90};
  const struct timespec pause = {.tv_nsec = (long)(milliseconds * 1e6)};
  if (sched_setscheduler(0, SCHED_FIFO, &above) < 0) return -1;
  for (int n = 0; n < times; n++) {
    if (step(n % 2 ? -seconds : seconds) < 0) return -1;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
  }
  return 0;
}

static int slew(double ppm) {
  struct timex change = {.modes = ADJ_FREQUENCY, .freq = (long)(ppm * 65536)};
  return clock_adjtime(CLOCK_REALTIME, &change);
}

int main(int argc, char **argv) {
  int done;
  if (argc == 3 && !strcmp(argv[1], "step")) done = step(atof(argv[2]));
  else if (argc == 5 && !strcmp(argv[1], "storm")) done = storm(atof(argv[2]), atoi(argv[3]), atof(argv[4]));
  else if (argc == 3 && !strcmp(argv[1], "slew")) done = slew(atof(argv[2]));
  else return fprintf(stderr, "usage: stepclock step SECONDS | storm SECONDS TIMES MS | slew PPM\n"), 64;
  if (done < 0) return perror("stepclock"), 69;
  return 0;
}
