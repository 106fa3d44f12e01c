// tickdrum DESTINATION
//
// A device that follows a MIDI clock in the simplest way: it plays a side stick at port DESTINATION ("CLIENT:PORT") when each
// twelfth Timing Clock since Start arrives at its port tickdrum:in, at once. It passes the jitter of the clock on, and after a
// lost tick it stays a tick behind.
#include <poll.h>
#include <signal.h>

#include "sequencer.h"

static volatile sig_atomic_t ended;
static void end(int signal) { (void)signal, ended = 1; }

int main(int argc, char **argv) {
  const char *me = "tickdrum";
  if (argc != 2) return fprintf(stderr, "usage: tickdrum CLIENT:PORT\n"), 64;
  realtime(me, 65);
  signal(SIGINT, end), signal(SIGTERM, end);
  snd_seq_t *seq;
  check(me, "the sequencer", snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK));
  snd_seq_set_client_name(seq, me);
  snd_seq_addr_t to;
  await_port(me, seq, argv[1], &to);
  const int out = check(me, "a port", snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                                                                 SND_SEQ_PORT_TYPE_APPLICATION));
  check(me, argv[1], snd_seq_connect_to(seq, out, to.client, to.port));
  check(me, "a port", snd_seq_create_simple_port(seq, "in", SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE,
                                                 SND_SEQ_PORT_TYPE_APPLICATION));
  struct pollfd fd;
  snd_seq_poll_descriptors(seq, &fd, 1, POLLIN);
  long ticks = 0;
  while (!ended) {
    if (poll(&fd, 1, 100) <= 0) continue;
    for (snd_seq_event_t *event; snd_seq_event_input(seq, &event) >= 0;) {
      if (event->type == SND_SEQ_EVENT_START) ticks = 0;
      if (event->type != SND_SEQ_EVENT_CLOCK || ticks++ % 12 != 0) continue;
      snd_seq_event_t note;
      snd_seq_ev_clear(&note);
      snd_seq_ev_set_source(&note, out);
      snd_seq_ev_set_subs(&note);
      snd_seq_ev_set_direct(&note);
      snd_seq_ev_set_noteon(&note, 9, 37, 100);
      snd_seq_event_output_direct(seq, &note);
    }
  }
  return 0;
}
