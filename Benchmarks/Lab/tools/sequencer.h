// Common functions of the sequencer tools: ports by name, the clock, real-time priority.
#include <alsa/asoundlib.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline int64_t nanoseconds(struct timespec t) { return t.tv_sec * 1000000000LL + t.tv_nsec; }

static inline int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return nanoseconds(t);
}

static inline void sleep_until(int64_t instant) {
  const struct timespec t = {.tv_sec = instant / 1000000000, .tv_nsec = instant % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {}
}

// Sets the policy of the calling thread to SCHED_FIFO at `priority`. Without permission it prints a warning and continues.
static inline void realtime(const char *tool, int priority) {
  const struct sched_param p = {.sched_priority = priority};
  if (sched_setscheduler(0, SCHED_FIFO, &p) < 0)
    fprintf(stderr, "%s: SCHED_FIFO: permission denied, figures are less accurate; run it as root\n", tool);
}

// Ends the program if `result` is an ALSA error.
static inline int check(const char *tool, const char *what, int result) {
  if (result >= 0) return result;
  fprintf(stderr, "%s: %s: %s\n", tool, what, snd_strerror(result));
  exit(69);
}

// Finds the port `name`: an address such as "128:0", or "CLIENT:PORT" with both full names.
static inline int find_port(snd_seq_t *seq, const char *name, snd_seq_addr_t *address) {
  snd_seq_client_info_t *client;
  snd_seq_port_info_t *port;
  snd_seq_client_info_alloca(&client);
  snd_seq_port_info_alloca(&port);
  unsigned number, index;
  int end = 0;
  if (sscanf(name, "%u:%u%n", &number, &index, &end) == 2 && name[end] == 0) {
    address->client = number, address->port = index;
    return snd_seq_get_any_port_info(seq, number, index, port) == 0;
  }
  snd_seq_client_info_set_client(client, -1);
  while (snd_seq_query_next_client(seq, client) == 0) {
    snd_seq_port_info_set_client(port, snd_seq_client_info_get_client(client));
    snd_seq_port_info_set_port(port, -1);
    while (snd_seq_query_next_port(seq, port) == 0) {
      char full[256];
      snprintf(full, sizeof full, "%s:%s", snd_seq_client_info_get_name(client), snd_seq_port_info_get_name(port));
      if (strcmp(full, name) == 0) return *address = *snd_seq_port_info_get_addr(port), 1;
    }
  }
  return 0;
}

// Finds the port `name`, waiting for it up to 10 s.
static inline void await_port(const char *tool, snd_seq_t *seq, const char *name, snd_seq_addr_t *address) {
  for (int tries = 0; !find_port(seq, name, address); tries++) {
    if (tries == 1000) {
      fprintf(stderr, "%s: %s: no such port within 10 s; see aconnect -l\n", tool, name);
      exit(69);
    }
    sleep_until(now() + 10000000);
  }
}
