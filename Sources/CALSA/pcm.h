// The ALSA PCM functions of the audio thread, some of which capture also uses, and wrappers of ALSA macros that Swift cannot
// import.
#ifndef CALSA_PCM_H
#define CALSA_PCM_H

#include "realtime.h"

/// The state of a stream, read at one instant.
typedef struct {
  /// SND_PCM_STATE_...
  int32_t state;
  /// `delay`: frames between the next frame to be written and the frame at the converter. `available`: frames that can
  /// be written. For capture, both count recorded frames that have not been read.
  int64_t delay, available;
  /// The instant of the reading in nanoseconds of the stream's time-stamp clock; 0 if the device has no time stamps.
  int64_t stamp;
} pcm_position;

/// Writes `count` interleaved frames to the device without blocking. Returns the number of frames written, or -errno.
static inline long pcm_write(snd_pcm_t *pcm, const void *frames, unsigned long count) ALSA_REALTIME_SAFE;
static inline long pcm_write(snd_pcm_t *pcm, const void *frames, unsigned long count) {
  return snd_pcm_writei(pcm, frames, count);
}

/// Waits until the number of free frames reaches the value of pcm_set_wake or, for capture, until frames can be read.
/// Returns 1, 0 after a timeout of `milliseconds`, or -errno.
static inline int pcm_wait(snd_pcm_t *pcm, int milliseconds) ALSA_REALTIME_SAFE;
static inline int pcm_wait(snd_pcm_t *pcm, int milliseconds) { return snd_pcm_wait(pcm, milliseconds); }

/// Reads the state of the stream into `position`. Returns 0 or -errno.
static inline int pcm_read_position(snd_pcm_t *pcm, pcm_position *position) ALSA_REALTIME_SAFE;
static inline int pcm_read_position(snd_pcm_t *pcm, pcm_position *position) {
  snd_pcm_status_t *status;
  snd_pcm_status_alloca(&status);
  const int code = snd_pcm_status(pcm, status);
  if (code < 0) return code;
  snd_htimestamp_t stamp;
  snd_pcm_status_get_htstamp(status, &stamp);
  position->state = snd_pcm_status_get_state(status);
  position->delay = snd_pcm_status_get_delay(status);
  position->available = (int64_t)snd_pcm_status_get_avail(status);
  position->stamp = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  return 0;
}

/// Prepares a stopped stream for its first frames. Returns 0 or -errno.
static inline int pcm_prepare(snd_pcm_t *pcm) ALSA_REALTIME_SAFE;
static inline int pcm_prepare(snd_pcm_t *pcm) { return snd_pcm_prepare(pcm); }

/// Starts a prepared stream. Returns 0 or -errno.
static inline int pcm_start(snd_pcm_t *pcm) ALSA_REALTIME_SAFE;
static inline int pcm_start(snd_pcm_t *pcm) { return snd_pcm_start(pcm); }

/// Sets the number of free frames for which pcm_wait returns (avail_min). Returns 0 or -errno.
static inline int pcm_set_wake(snd_pcm_t *pcm, unsigned long available) ALSA_REALTIME_SAFE;
static inline int pcm_set_wake(snd_pcm_t *pcm, unsigned long available) {
  snd_pcm_sw_params_t *params;
  snd_pcm_sw_params_alloca(&params);
  int code = snd_pcm_sw_params_current(pcm, params);
  if (code >= 0) code = snd_pcm_sw_params_set_avail_min(pcm, params, available);
  return code >= 0 ? snd_pcm_sw_params(pcm, params) : code;
}

#endif
