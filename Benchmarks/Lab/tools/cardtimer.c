// cardtimer DEVICE FRAMES
//
// Runs a sound card without sound, with an interrupt every FRAMES frames at 48 kHz, until it is killed. A loopback card whose
// parameter timer_source names this card then moves by FRAMES frames per interrupt, instead of by one tick of the kernel
// timer (192 frames).
#include <alsa/asoundlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void check(const char *what, int result) {
  if (result >= 0) return;
  fprintf(stderr, "cardtimer: %s: %s\n", what, snd_strerror(result));
  exit(69);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: cardtimer DEVICE FRAMES\n"), 64;
  const char *device = argv[1];
  snd_pcm_t *pcm;
  check(device, snd_pcm_open(&pcm, device, SND_PCM_STREAM_PLAYBACK, 0));
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  check(device, snd_pcm_hw_params_any(pcm, hardware));
  check(device, snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED));
  check(device, snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16));
  check(device, snd_pcm_hw_params_set_channels(pcm, hardware, 2));
  check(device, snd_pcm_hw_params_set_rate(pcm, hardware, 48000, 0));
  check(device, snd_pcm_hw_params_set_period_size(pcm, hardware, atoi(argv[2]), 0));
  check(device, snd_pcm_hw_params_set_periods(pcm, hardware, 8, 0));
  check(device, snd_pcm_hw_params(pcm, hardware));
  // A stop threshold equal to the boundary: the card never stops, although nothing is written.
  snd_pcm_sw_params_t *software;
  snd_pcm_uframes_t boundary;
  snd_pcm_sw_params_alloca(&software);
  check(device, snd_pcm_sw_params_current(pcm, software));
  check(device, snd_pcm_sw_params_get_boundary(software, &boundary));
  check(device, snd_pcm_sw_params_set_stop_threshold(pcm, software, boundary));
  check(device, snd_pcm_sw_params_set_start_threshold(pcm, software, boundary));
  check(device, snd_pcm_sw_params(pcm, software));
  check(device, snd_pcm_prepare(pcm));
  static const short silence[2 * 4096];
  check(device, snd_pcm_writei(pcm, silence, 8 * atoi(argv[2])));
  check(device, snd_pcm_start(pcm));
  for (;;) pause();
}
