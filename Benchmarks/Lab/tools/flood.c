// flood CLIENT:PORT SECONDS [RATE [silent]]
//
// Sends controllers and notes to a port for SECONDS, RATE events per second (10 000), in bursts of one millisecond. If silent,
// sends only controller 16 on channel 16, which no synthesizer hears.
// Prints "sent N refused M": the kernel refuses events that do not fit into the pool of the receiver.
#include "sequencer.h"

int main(int argc, char **argv) {
  const char *me = "flood";
  const double seconds = argc > 2 ? atof(argv[2]) : 0, rate = argc > 3 ? atof(argv[3]) : 10000;
  const int silent = argc > 4 && strcmp(argv[4], "silent") == 0;
  if (seconds <= 0 || rate <= 0 || (argc > 4 && !silent))
    return fprintf(stderr, "usage: flood CLIENT:PORT SECONDS [RATE [silent]]\n"), 64;
  snd_seq_t *seq;
  snd_seq_addr_t to;
  check(me, "the sequencer", snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK));
  snd_seq_set_client_name(seq, me);
  const int port = check(me, "a port",
    snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                               SND_SEQ_PORT_TYPE_APPLICATION));
  await_port(me, seq, argv[1], &to);

  const int64_t begin = now(), events = (int64_t)(seconds * rate);
  int64_t sent = 0, refused = 0;
  for (int64_t millisecond = 0; sent + refused < events; millisecond++) {
    sleep_until(begin + millisecond * 1000000);
    while (sent + refused < events && sent + refused < (millisecond + 1) * rate / 1000) {
      const int64_t n = sent + refused;
      snd_seq_event_t event;
      snd_seq_ev_clear(&event);
      snd_seq_ev_set_source(&event, port);
      snd_seq_ev_set_dest(&event, to.client, to.port);
      snd_seq_ev_set_direct(&event);
      if (silent) snd_seq_ev_set_controller(&event, 15, 16, n % 128);
      else if (n % 2) snd_seq_ev_set_controller(&event, n % 16, 1 + n % 100, n % 128);
      else snd_seq_ev_set_noteon(&event, n % 16, n / 4 % 128, n / 2 % 2 ? 64 : 0);
      if (snd_seq_event_output_direct(seq, &event) >= 0) sent++;
      else refused++;
    }
  }
  printf("sent %lld refused %lld\n", (long long)sent, (long long)refused);
  return 0;
}
