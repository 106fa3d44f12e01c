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

// Kernel time stamps. The kernel stamps events with the time of a queue, counted from the start of the queue. Each interrupt of the
// queue's timer, once per millisecond, sets this time back by the latency of the interrupt: to the number of periods plus the time since
// the interrupt (snd_seq_timer_get_cur_time). At the first interrupt, the step is larger if other queues exist. A program therefore reads both clocks next to each other whenever it fetches events, some 20 us after their arrival. A time
// stamp is converted by its age, with the narrowest of a few readings. The margin of a reading is the maximum error of a time
// stamp.

// Creates and starts a queue. Returns its number.
static inline int start_queue(const char *tool, snd_seq_t *seq) {
  const int queue = check(tool, "a queue", snd_seq_alloc_queue(seq));
  snd_seq_start_queue(seq, queue, NULL);
  snd_seq_drain_output(seq);
  return queue;
}

// Connects two ports, so that the kernel stamps each event with the time of `queue` when it arrives. `name` names the
// connection in an error.
static inline void connect_stamped(const char *tool, const char *name, snd_seq_t *seq, snd_seq_addr_t from,
                                   snd_seq_addr_t to, int queue) {
  snd_seq_port_subscribe_t *subscription;
  snd_seq_port_subscribe_alloca(&subscription);
  snd_seq_port_subscribe_set_sender(subscription, &from);
  snd_seq_port_subscribe_set_dest(subscription, &to);
  snd_seq_port_subscribe_set_queue(subscription, queue);
  snd_seq_port_subscribe_set_time_update(subscription, 1);
  snd_seq_port_subscribe_set_time_real(subscription, 1);
  check(tool, name, snd_seq_subscribe_port(seq, subscription));
}

// Time 0 of the queue in CLOCK_MONOTONIC, and its maximum error.
struct origin { int64_t zero, margin; };

static inline struct origin relate(snd_seq_t *seq, int queue) {
  snd_seq_queue_status_t *status;
  snd_seq_queue_status_alloca(&status);
  struct origin best = {0, INT64_MAX};
  for (int reading = 0; reading < 5 && best.margin > 1000; reading++) {
    const int64_t before = now();
    snd_seq_get_queue_status(seq, queue, status);
    const int64_t half = (now() - before) / 2;
    const snd_seq_real_time_t *t = snd_seq_queue_status_get_real_time(status);
    if (half < best.margin) best = (struct origin){before + half - (t->tv_sec * 1000000000LL + t->tv_nsec), half};
  }
  return best;
}

// The time stamp of `event` in CLOCK_MONOTONIC.
static inline int64_t stamp(struct origin origin, const snd_seq_event_t *event) {
  const snd_seq_real_time_t at = event->time.time;
  return origin.zero + at.tv_sec * 1000000000LL + at.tv_nsec;
}
