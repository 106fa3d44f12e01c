// seqstamps CLIENT:PORT SECONDS
//
// An independent subscriber. Waits for the port and subscribes to it. At the end it prints "stamp error below X us" and one
// line for each event: the kernel time stamp of its arrival in nanoseconds of CLOCK_MONOTONIC, and the kind of the event.
// The time stamps therefore depend neither on the sender nor on the wake-up latency of this program.
//
// The conversion of the time stamps is described in sequencer.h. X is the widest reading that was used, the maximum error
// of a time stamp.
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
  case SND_SEQ_EVENT_SYSEX:  // aplaymidi sends the escaped octets of a MIDI file like this
    return event->data.ext.len == 1 && *(const unsigned char *)event->data.ext.ptr == 0xf8 ? "clock" : "other";
  default: return "other";
  }
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
  const int queue = start_queue(me, seq);
  // The subscription stamps only events to all subscribers. The port also stamps those to this program alone.
  snd_seq_port_info_t *info;
  snd_seq_port_info_alloca(&info);
  check(me, "the port", snd_seq_get_port_info(seq, port, info));
  snd_seq_port_info_set_timestamping(info, 1);
  snd_seq_port_info_set_timestamp_real(info, 1);
  snd_seq_port_info_set_timestamp_queue(info, queue);
  check(me, "the time stamps", snd_seq_set_port_info(seq, port, info));

  snd_seq_addr_t from, to = {.client = snd_seq_client_id(seq), .port = port};
  await_port(me, seq, argv[1], &from);
  connect_stamped(me, argv[1], seq, from, to, queue);

  struct arrival { int64_t time; const char *kind; } *stamps = NULL;
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
      stamps[count++] = (struct arrival){stamp(origin, event), kind(event)};
    }
    if (result == -ENOSPC) return fprintf(stderr, "%s: input queue: events were lost; use a faster machine\n", me), 1;
  }
  printf("stamp error below %.1f us\n", margin / 1e3);
  for (size_t i = 0; i < count; i++) printf("%lld %s\n", (long long)stamps[i].time, stamps[i].kind);
  return 0;
}
