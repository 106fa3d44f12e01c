// The ALSA sequencer as real-time threads use it, and its macros.
//
// One handle may be used by one thread that sends and one that receives at the same time: snd_seq_event_output_direct
// writes an event of fixed length from where it lies to the descriptor, and touches nothing of the handle that changes;
// snd_seq_event_input reads into the handle's input buffer, which nobody else touches (alsa-lib, seq.c and seq_hw.c). In
// the kernel a write and a request (snd_seq_get_..., snd_seq_subscribe_port) take the client's mutex and a read does not.
// That mutex lends nobody its priority, so requests by a thread that others can keep from running belong on a handle of
// their own.
#ifndef CALSA_SEQUENCER_H
#define CALSA_SEQUENCER_H

#include <errno.h>

#include "realtime.h"

/// Sends `event`, of fixed length, from port `port` of `sequencer` to that port's subscribers now, without a queue, never
/// waiting. 0 or more, or -errno: the first subscriber's that could not take it; the others have it all the same.
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) ALSA_REALTIME_SAFE;
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) {
  snd_seq_ev_set_source(event, port);
  snd_seq_ev_set_subs(event);
  snd_seq_ev_set_direct(event);
  return snd_seq_event_output_direct(sequencer, event);
}

/// The same to port `to` alone, subscribed or not.
static inline int sequencer_send_to(snd_seq_t *sequencer, int port, snd_seq_addr_t to, snd_seq_event_t *event)
    ALSA_REALTIME_SAFE;
static inline int sequencer_send_to(snd_seq_t *sequencer, int port, snd_seq_addr_t to, snd_seq_event_t *event) {
  snd_seq_ev_set_source(event, port);
  snd_seq_ev_set_dest(event, to.client, to.port);
  snd_seq_ev_set_direct(event);
  return snd_seq_event_output_direct(sequencer, event);
}

/// What sequencer_receive found.
enum { SEQUENCER_OVERFLOW = -1, SEQUENCER_NONE = 0, SEQUENCER_EVENT = 1 };

/// Takes the oldest event that has come, never waiting. What an event of variable length points to is valid until the
/// next call. After SEQUENCER_OVERFLOW, the kernel's pool of arrivals overran and was emptied, others may follow.
static inline int sequencer_receive(snd_seq_t *sequencer, snd_seq_event_t *event) ALSA_REALTIME_SAFE;
static inline int sequencer_receive(snd_seq_t *sequencer, snd_seq_event_t *event) {
  snd_seq_event_t *arrived = NULL;
  const int result = snd_seq_event_input(sequencer, &arrived);
  if (result == -ENOSPC) return SEQUENCER_OVERFLOW;
  if (result < 0 || !arrived) return SEQUENCER_NONE;
  *event = *arrived;
  return SEQUENCER_EVENT;
}

/// The time of `queue` in nanoseconds, or -errno.
static inline int64_t sequencer_queue_time(snd_seq_t *sequencer, int queue) ALSA_REALTIME_SAFE;
static inline int64_t sequencer_queue_time(snd_seq_t *sequencer, int queue) {
  snd_seq_queue_status_t *status;
  snd_seq_queue_status_alloca(&status);
  const int result = snd_seq_get_queue_status(sequencer, queue, status);
  if (result < 0) return result;
  const snd_seq_real_time_t *time = snd_seq_queue_status_get_real_time(status);
  return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

/// Whether events wait in the handle's own buffer, of which its descriptor knows nothing.
static inline int sequencer_has_buffered(snd_seq_t *sequencer) ALSA_REALTIME_SAFE;
static inline int sequencer_has_buffered(snd_seq_t *sequencer) { return snd_seq_event_input_pending(sequencer, 0) > 0; }

#endif
