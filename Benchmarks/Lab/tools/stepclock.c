// stepclock step SECONDS               steps the system clock, CLOCK_REALTIME, ahead by SECONDS (negative: back)
// stepclock storm SECONDS TIMES MS     steps ahead and back alternately, TIMES times, at intervals of MS milliseconds
// stepclock slew PPM                   changes the rate by PPM parts per million, -500...500; 0: nominal rate
//
// Simulates an administrator or a time service. A slew also changes the rate of CLOCK_MONOTONIC, equally for all processes of
// the machine. The storm has a higher priority than any peer, so that steps occur between the kernel time stamp of a packet
// and its evaluation by the program.
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
