// The ALSA sequencer as real-time threads use it, and its macros.
#ifndef CALSA_SEQUENCER_H
#define CALSA_SEQUENCER_H

#include "realtime.h"

/// Sends `event` from port `port` of `sequencer` to that port's subscribers now, without a queue, never waiting. 0 or
/// more, or -errno.
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) ALSA_REALTIME_SAFE;
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) {
  snd_seq_ev_set_source(event, port);
  snd_seq_ev_set_subs(event);
  snd_seq_ev_set_direct(event);
  return snd_seq_event_output_direct(sequencer, event);
}

#endif
