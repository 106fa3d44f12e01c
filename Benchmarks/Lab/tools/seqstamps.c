// seqstamps CLIENT:PORT SECONDS
//
// An independent subscriber. Waits for the port and subscribes to it. At the end it prints "stamp error below X us" and one
// line for each event: the kernel time stamp of its arrival in nanoseconds of CLOCK_MONOTONIC, and the kind of the event.
// The time stamps therefore depend neither on the sender nor on the wake-up latency of this program.
//
// The kernel stamps events with the time of a queue, counted from the start of the queue. This time steps back by the
// latency of the queue's timer, microseconds each time, and by more at the first count if other queues exist. The program
// therefore reads both clocks next to each other whenever it fetches events, some 20 us after their arrival. A time stamp is
// converted by its age, with the narrowest of a few readings. X is the widest reading that was used, the maximum error of a
// time stamp.
#include <poll.h>
#include <signal.h>

#include "sequencer.h"

static volatile sig_atomic_t ended;
static void end(int signal) { (void)signal, ended = 1; }

static const char *kind(const snd_seq_event_t *event) {
  switch (event->type) {
  case SND_SEQ_EVENT_CLOCK: return "clock";
  case SND_SEQ_EVENT_START: return "start";
  case SND_SEQ_EVENT_CONTINUE: return "continue";
  case SND_SEQ_EVENT_STOP: return "stop";
  case SND_SEQ_EVENT_SONGPOS: return "position";
  case SND_SEQ_EVENT_NOTEON: return event->data.note.velocity ? "on" : "off";
  case SND_SEQ_EVENT_NOTEOFF: return "off";
  case SND_SEQ_EVENT_CONTROLLER: return "controller";
  default: return "other";
  }
}

// Time 0 of the queue in CLOCK_MONOTONIC, and its maximum error.
struct origin { int64_t zero, margin; };

static struct origin relate(snd_seq_t *seq, int queue) {
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

int main(int argc, char **argv) {
  const char *me = "seqstamps";
  if (argc != 3) return fprintf(stderr, "usage: seqstamps CLIENT:PORT SECONDS\n"), 64;
  realtime(me, 65);
  signal(SIGINT, end), signal(SIGTERM, end);
  snd_seq_t *seq;
  check(me, "the sequencer", snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK));
  snd_seq_set_client_name(seq, me);
  snd_seq_set_client_pool_input(seq, 2000);
  const int port = check(me, "a port",
    snd_seq_create_simple_port(seq, "in", SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE,
                               SND_SEQ_PORT_TYPE_APPLICATION));
  const int queue = check(me, "a queue", snd_seq_alloc_queue(seq));
  snd_seq_start_queue(seq, queue, NULL);
  snd_seq_drain_output(seq);

  snd_seq_addr_t from, to = {.client = snd_seq_client_id(seq), .port = port};
  await_port(me, seq, argv[1], &from);
  snd_seq_port_subscribe_t *subscription;
  snd_seq_port_subscribe_alloca(&subscription);
  snd_seq_port_subscribe_set_sender(subscription, &from);
  snd_seq_port_subscribe_set_dest(subscription, &to);
  snd_seq_port_subscribe_set_queue(subscription, queue);
  snd_seq_port_subscribe_set_time_update(subscription, 1);
  snd_seq_port_subscribe_set_time_real(subscription, 1);
  check(me, argv[1], snd_seq_subscribe_port(seq, subscription));

  struct stamp { int64_t time; const char *kind; } *stamps = NULL;
  size_t count = 0, room = 0;
  int64_t margin = 0;
  const int64_t last = now() + (int64_t)(atof(argv[2]) * 1e9);
  struct pollfd fd;
  snd_seq_poll_descriptors(seq, &fd, 1, POLLIN);
  for (int64_t t; !ended && (t = now()) < last;) {
    if (poll(&fd, 1, (last - t) / 1000000 + 1) <= 0) continue;
    const struct origin origin = relate(seq, queue);
    if (origin.margin > margin) margin = origin.margin;
    int result;
    for (snd_seq_event_t *event; (result = snd_seq_event_input(seq, &event)) >= 0;) {
      if (event->source.client == SND_SEQ_CLIENT_SYSTEM) continue;  // end of the subscription; no time stamp
      if (count == room) {
        stamps = realloc(stamps, (room = 2 * room + 4096) * sizeof *stamps);
        if (!stamps) return perror(me), 71;
      }
      const snd_seq_real_time_t at = event->time.time;
      stamps[count++] = (struct stamp){origin.zero + at.tv_sec * 1000000000LL + at.tv_nsec, kind(event)};
    }
    if (result == -ENOSPC) return fprintf(stderr, "%s: input queue: events were lost; use a faster machine\n", me), 1;
  }
  printf("stamp error below %.1f us\n", margin / 1e3);
  for (size_t i = 0; i < count; i++) printf("%lld %s\n", (long long)stamps[i].time, stamps[i].kind);
  return 0;
}
