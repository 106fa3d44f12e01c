// clockgen BPM SECONDS [--jitter MS] [--seed K] [--step SECONDS BPM] [--continue POSITION]
//
// An external MIDI clock on the ALSA port "clockgen:out". Waits up to 60 s for the first subscriber, then 5 s for further
// subscribers. Sends Start (or Song Position, in sixteenth notes, and Continue), the ticks due in [0, SECONDS), and Stop half
// a tick after the last tick. From --step SECONDS on, the ticks have another tempo.
//
// A tick is sent at its deadline plus |N(0, MS)| of jitter, never before the previous tick: real delays are one-sided. The
// deadlines are those of a perfect clock. The program prints each tick as "tick N DEADLINE SENT" in nanoseconds of
// CLOCK_MONOTONIC, so that the true clock is known. N counts from the beginning of the song: from 6 POSITION with --continue.
#include <math.h>

#include "sequencer.h"

static uint64_t state;

// A uniform random number in (0, 1] by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static double uniform(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return ((z ^ z >> 31) >> 11) * 0x1p-53 + 0x1p-53;
}

// A standard normal random number by the Box-Muller transform.
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static void send(snd_seq_t *seq, int port, int type, int value) {
  snd_seq_event_t event;
  snd_seq_ev_clear(&event);
  event.type = type;
  event.data.control.value = value;
  snd_seq_ev_set_source(&event, port);
  snd_seq_ev_set_subs(&event);
  snd_seq_ev_set_direct(&event);
  check("clockgen", "send", snd_seq_event_output_direct(seq, &event));
}

static int64_t quarter(double bpm) { return (int64_t)ceil(60e9 / bpm); }

int main(int argc, char **argv) {
  const char *me = "clockgen";
  double bpm = argc > 1 ? atof(argv[1]) : 0, seconds = argc > 2 ? atof(argv[2]) : 0;
  double jitter = 0, step = INFINITY, stepped = bpm;
  int position = -1, valid = bpm > 0 && seconds > 0;
  for (int i = 3; valid && i < argc; i++) {
    if (!strcmp(argv[i], "--jitter") && i + 1 < argc) jitter = atof(argv[++i]);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc) state = strtoull(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--continue") && i + 1 < argc) position = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--step") && i + 2 < argc) step = atof(argv[i + 1]), stepped = atof(argv[i + 2]), i += 2;
    else valid = 0;
  }
  if (!valid || stepped <= 0) {
    fprintf(stderr, "usage: clockgen BPM SECONDS [--jitter MS] [--seed K] [--step SECONDS BPM] "
                    "[--continue POSITION]\n");
    return 64;
  }
  realtime(me, 75);
  snd_seq_t *seq;
  check(me, "the sequencer", snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, 0));
  snd_seq_set_client_name(seq, me);
  const int port = check(me, "a port",
    snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                               SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION));
  snd_seq_port_info_t *info;
  snd_seq_port_info_alloca(&info);
  for (int tries = 0; snd_seq_get_port_info(seq, port, info), snd_seq_port_info_get_read_use(info) == 0; tries++) {
    if (tries == 6000) return fprintf(stderr, "%s: clockgen:out: no subscriber within 60 s; connect one with aconnect\n", me), 69;
    sleep_until(now() + 10000000);
  }

  // The origin of the current tempo: instant `origin` and tick `from`.
  int64_t origin = now() + 5000000000, from = 0, q = quarter(bpm), sent = 0;
  const int64_t begin = origin, stop = origin + (int64_t)(seconds * 1e9);
  int64_t n = 0, deadline = origin;
  for (;; n++) {
    deadline = origin + (n - from) * q / 24;
    if (deadline - begin >= step * 1e9) {
      origin = deadline, from = n, q = quarter(stepped), step = INFINITY;
      fprintf(stderr, "%s: %g BPM from tick %lld on\n", me, stepped, (long long)n);
    }
    if (deadline >= stop) break;
    const int64_t at = deadline + (int64_t)(fabs(normal()) * jitter * 1e6);
    sent = at > sent ? at : sent;
    sleep_until(sent);
    if (n == 0 && position < 0) send(seq, port, SND_SEQ_EVENT_START, 0);
    if (n == 0 && position >= 0) {
      send(seq, port, SND_SEQ_EVENT_SONGPOS, position);
      send(seq, port, SND_SEQ_EVENT_CONTINUE, 0);
    }
    send(seq, port, SND_SEQ_EVENT_CLOCK, 0);
    const int64_t number = n + (position > 0 ? 6 * position : 0);
    printf("tick %lld %lld %lld\n", (long long)number, (long long)deadline, (long long)sent);
  }
  const int64_t half = deadline - q / 48;
  sleep_until(half > sent ? half : sent);
  send(seq, port, SND_SEQ_EVENT_STOP, 0);
  snd_seq_close(seq);
  return 0;
}
