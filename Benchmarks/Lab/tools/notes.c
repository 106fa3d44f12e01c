// notes CLIENT:PORT COUNT [DISTANCE]
//
// Sends COUNT side sticks to a port, at the instants of notes.h. All Sound Off ends each of them. With DISTANCE, only every
// DISTANCE-th instant has a side stick, and All Sound Off is not sent.
//
// Prints "stamp error below X us", then for each Note On the kernel time stamp of its arrival in nanoseconds of
// CLOCK_MONOTONIC. The time stamp is that of an own port, to which the kernel delivers the same event in the same system call.
#include "notes.h"
#include "sequencer.h"

int main(int argc, char **argv) {
  const char *me = "notes";
  const int count = argc >= 3 && argc <= 4 ? atoi(argv[2]) : 0, distance = argc == 4 ? atoi(argv[3]) : 1;
  if (count <= 0 || distance <= 0) return fprintf(stderr, "usage: notes CLIENT:PORT COUNT [DISTANCE]\n"), 64;
  realtime(me, 75);
  snd_seq_t *seq;
  snd_seq_addr_t player;
  check(me, "the sequencer", snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK));
  snd_seq_set_client_name(seq, me);
  snd_seq_addr_t from = {.client = snd_seq_client_id(seq)}, to = from;
  from.port = check(me, "a port", snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                                                             SND_SEQ_PORT_TYPE_APPLICATION));
  to.port = check(me, "a port", snd_seq_create_simple_port(seq, "stamps", SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE,
                                                           SND_SEQ_PORT_TYPE_APPLICATION));
  await_port(me, seq, argv[1], &player);
  check(me, argv[1], snd_seq_connect_to(seq, from.port, player.client, player.port));
  const int queue = start_queue(me, seq);
  connect_stamped(me, "port stamps", seq, from, to, queue);

  int64_t *stamps = calloc(count, sizeof *stamps), margin = 0;
  if (!stamps) return perror(me), 71;
  const int64_t begin = now() + 100000000;
  for (int64_t n = 0; n < count; n++) {
    const int64_t at = note_instant(begin, n * distance);
    snd_seq_event_t event, *arrived;
    snd_seq_ev_clear(&event);
    snd_seq_ev_set_source(&event, from.port);
    snd_seq_ev_set_subs(&event);
    snd_seq_ev_set_direct(&event);
    snd_seq_ev_set_noteon(&event, 9, 37, 127);
    sleep_until(at);
    check(me, argv[1], snd_seq_event_output_direct(seq, &event));
    const struct origin origin = relate(seq, queue);
    if (origin.margin > margin) margin = origin.margin;
    while (!stamps[n]) {
      check(me, "port stamps", snd_seq_event_input(seq, &arrived));
      if (arrived->type == SND_SEQ_EVENT_NOTEON) stamps[n] = stamp(origin, arrived);
    }
    sleep_until(at + NOTE_LENGTH);
    snd_seq_ev_set_noteoff(&event, 9, 37, 0);
    check(me, argv[1], snd_seq_event_output_direct(seq, &event));
    if (argc == 4) continue;
    snd_seq_ev_set_controller(&event, 9, 120, 0);
    check(me, argv[1], snd_seq_event_output_direct(seq, &event));
  }
  // The sound of the last note.
  sleep_until(now() + SILENCE);
  printf("stamp error below %.1f us\n", margin / 1e3);
  for (int n = 0; n < count; n++) printf("%lld\n", (long long)stamps[n]);
  return 0;
}
