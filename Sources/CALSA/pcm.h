// ALSA PCM playback as the audio thread uses it.
#ifndef CALSA_PCM_H
#define CALSA_PCM_H

#include "realtime.h"

/// Gives `frames` interleaved frames to the device, never waiting. How many it took, or -errno.
static inline long pcm_write(snd_pcm_t *pcm, const void *frames, unsigned long count) ALSA_REALTIME_SAFE;
static inline long pcm_write(snd_pcm_t *pcm, const void *frames, unsigned long count) {
  return snd_pcm_writei(pcm, frames, count);
}

#endif
