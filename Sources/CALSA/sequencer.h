// The ALSA sequencer functions of real-time threads, and wrappers of ALSA macros that Swift cannot import.
//
// One sending thread and one receiving thread can use a handle at the same time. snd_seq_event_output_direct writes an
// event of fixed length directly to the descriptor and accesses no mutable state of the handle. For an event of variable
// length, it uses a buffer that no function of the receiving thread accesses. snd_seq_event_input
// reads into the handle's input buffer, which no other function accesses (alsa-lib, seq.c and seq_hw.c). In the kernel,
// a write and a request (snd_seq_get_..., snd_seq_subscribe_port) lock the client's mutex; a read does not. This mutex
// has no priority inheritance. Requests from a thread that can be preempted therefore need a separate handle.
#ifndef CALSA_SEQUENCER_H
#define CALSA_SEQUENCER_H

#include <errno.h>

#include "realtime.h"

/// Sends `event`, of fixed length, from port `port` to the subscribers of this port, immediately, without a queue and
/// without blocking. Returns 0 or more, or the -errno of the first subscriber that could not receive the event. The other
/// subscribers receive the event in any case.
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) ALSA_REALTIME_SAFE;
static inline int sequencer_send(snd_seq_t *sequencer, int port, snd_seq_event_t *event) {
  snd_seq_ev_set_source(event, port);
  snd_seq_ev_set_subs(event);
  snd_seq_ev_set_direct(event);
  return snd_seq_event_output_direct(sequencer, event);
}

/// Sends `event` as sequencer_send does, but only to port `to`, which need not be subscribed.
static inline int sequencer_send_to(snd_seq_t *sequencer, int port, snd_seq_addr_t to, snd_seq_event_t *event)
    ALSA_REALTIME_SAFE;
static inline int sequencer_send_to(snd_seq_t *sequencer, int port, snd_seq_addr_t to, snd_seq_event_t *event) {
  snd_seq_ev_set_source(event, port);
  snd_seq_ev_set_dest(event, to.client, to.port);
  snd_seq_ev_set_direct(event);
  return snd_seq_event_output_direct(sequencer, event);
}

/// The size of the largest event that sequencer_send_exclusive sends: F0, 1060 data octets, F7.
enum { SEQUENCER_EXCLUSIVE_SIZE = 1062 };

/// Sends a System Exclusive of at most SEQUENCER_EXCLUSIVE_SIZE octets, with F0 and F7, as sequencer_send does.
/// sequencer_reserve_exclusive must have been called before, because snd_seq_event_output_direct copies such an event to a buffer that it
/// allocates once, and enlarges only for a larger event.
static inline int sequencer_send_exclusive(
    snd_seq_t *sequencer, int port, const unsigned char *octets, unsigned length) ALSA_REALTIME_SAFE;
static inline int sequencer_send_exclusive(
    snd_seq_t *sequencer, int port, const unsigned char *octets, unsigned length) {
  snd_seq_event_t event;
  snd_seq_ev_clear(&event);
  event.type = SND_SEQ_EVENT_SYSEX;
  snd_seq_ev_set_variable(&event, length, (void *)octets);
  return sequencer_send(sequencer, port, &event);
}

/// Makes the ALSA library allocate the buffer for sequencer_send_exclusive. Sends an event of the largest size from port `port`, which must
/// have no subscribers yet.
static inline void sequencer_reserve_exclusive(snd_seq_t *sequencer, int port) {
  static const unsigned char octets[SEQUENCER_EXCLUSIVE_SIZE] = {0xF0};
  sequencer_send_exclusive(sequencer, port, octets, SEQUENCER_EXCLUSIVE_SIZE);
}

/// The results of sequencer_receive.
enum { SEQUENCER_OVERFLOW = -1, SEQUENCER_NONE = 0, SEQUENCER_EVENT = 1 };

/// Receives the oldest event without blocking. The data of an event of variable length are valid until the next call.
/// SEQUENCER_OVERFLOW: the kernel's input pool overflowed and was cleared; further events may follow.
static inline int sequencer_receive(snd_seq_t *sequencer, snd_seq_event_t *event) ALSA_REALTIME_SAFE;
static inline int sequencer_receive(snd_seq_t *sequencer, snd_seq_event_t *event) {
  snd_seq_event_t *arrived = NULL;
  const int result = snd_seq_event_input(sequencer, &arrived);
  if (result == -ENOSPC) return SEQUENCER_OVERFLOW;
  if (result < 0 || !arrived) return SEQUENCER_NONE;
  *event = *arrived;
  return SEQUENCER_EVENT;
}

/// Returns the time of `queue` in nanoseconds, or -errno.
static inline int64_t sequencer_queue_time(snd_seq_t *sequencer, int queue) ALSA_REALTIME_SAFE;
static inline int64_t sequencer_queue_time(snd_seq_t *sequencer, int queue) {
  snd_seq_queue_status_t *status;
  snd_seq_queue_status_alloca(&status);
  const int result = snd_seq_get_queue_status(sequencer, queue, status);
  if (result < 0) return result;
  const snd_seq_real_time_t *time = snd_seq_queue_status_get_real_time(status);
  return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

/// Whether the input buffer of the handle contains events. Events in this buffer do not make the descriptor readable.
static inline int sequencer_has_buffered(snd_seq_t *sequencer) ALSA_REALTIME_SAFE;
static inline int sequencer_has_buffered(snd_seq_t *sequencer) { return snd_seq_event_input_pending(sequencer, 0) > 0; }

#endif
