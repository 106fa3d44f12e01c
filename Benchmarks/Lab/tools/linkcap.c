// linkcap [--period FRAMES] SECONDS PREFIX DEVICE...
//
// Records capture devices to PREFIX0.wav, PREFIX1.wav, ...: 48 kHz, stereo, 16 bits, or 32 bits if a player has set the
// loopback card to 32 bits. The streams are linked, so that all recordings start at the same frame. In the loopback card, two
// separate recorders that are started together are 768...1152 frames apart.
//
// FRAMES is the number of frames between two interrupts (6000). A loopback card that is driven by the timer of another card
// works only with the period of that card.
//
// Prints "frame 0 NANOSECONDS": the instant of the first frame in CLOCK_MONOTONIC. The loopback card counts its frames at the
// ticks of the kernel timer, 4 ms apart. A time stamp is therefore never before its frame and usually after it. The program
// uses the time stamp that gives the earliest first frame. PREFIX.stamps has a line with the position and the time stamp for
// every CHUNK frames of the first card: the card had recorded this number of frames at this instant of CLOCK_MONOTONIC or
// earlier.
#include <alsa/asoundlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 48000, CHANNELS = 2, CHUNK = 480, MOST = 8 };

static void check(const char *what, int result) {
  if (result >= 0) return;
  fprintf(stderr, "linkcap: %s: %s\n", what, snd_strerror(result));
  exit(69);
}

// Writes the header of a WAV file for `bytes` of samples of `width` bytes each. Assumes a little-endian machine.
static void header(FILE *file, uint32_t bytes, int width) {
  struct __attribute__((packed)) {
    char riff[4]; uint32_t size; char wave[8]; uint32_t length; uint16_t pcm, channels;
    uint32_t rate, second; uint16_t frame, bits; char data[4]; uint32_t bytes;
  } h = {"RIFF", 36 + bytes, "WAVEfmt ", 16, 1, CHANNELS, RATE, RATE * CHANNELS * width, CHANNELS * width, 8 * width,
         "data", bytes};
  fwrite(&h, 1, sizeof h, file);
}

// Opens `device` for capture with a buffer of half a second. Returns the size of a sample in bytes.
static int capture(snd_pcm_t **pcm, const char *device, snd_pcm_uframes_t period) {
  check(device, snd_pcm_open(pcm, device, SND_PCM_STREAM_CAPTURE, 0));
  snd_pcm_uframes_t buffer = RATE / 2;
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  check(device, snd_pcm_hw_params_any(*pcm, hardware));
  const int width = snd_pcm_hw_params_test_format(*pcm, hardware, SND_PCM_FORMAT_S16_LE) == 0 ? 2 : 4;
  const snd_pcm_format_t format = width == 2 ? SND_PCM_FORMAT_S16_LE : SND_PCM_FORMAT_S32_LE;
  check(device, snd_pcm_hw_params_set_access(*pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED));
  check(device, snd_pcm_hw_params_set_format(*pcm, hardware, format));
  check(device, snd_pcm_hw_params_set_channels(*pcm, hardware, CHANNELS));
  check(device, snd_pcm_hw_params_set_rate(*pcm, hardware, RATE, 0));
  check(device, snd_pcm_hw_params_set_period_size_near(*pcm, hardware, &period, NULL));
  check(device, snd_pcm_hw_params_set_buffer_size_near(*pcm, hardware, &buffer));
  check(device, snd_pcm_hw_params(*pcm, hardware));
  snd_pcm_sw_params_t *software;
  snd_pcm_sw_params_alloca(&software);
  check(device, snd_pcm_sw_params_current(*pcm, software));
  check(device, snd_pcm_sw_params_set_tstamp_mode(*pcm, software, SND_PCM_TSTAMP_ENABLE));
  check(device, snd_pcm_sw_params_set_tstamp_type(*pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC));
  check(device, snd_pcm_sw_params(*pcm, software));
  return width;
}

// The latest possible instant of frame 0 from the current time stamp, after `done` frames were read; INT64_MAX without a
// time stamp. Writes the position to `log`, if there is one.
static int64_t first_frame(snd_pcm_t *pcm, long done, FILE *log) {
  snd_pcm_uframes_t waiting;
  snd_htimestamp_t stamp;
  if (snd_pcm_htimestamp(pcm, &waiting, &stamp) < 0 || (stamp.tv_sec == 0 && stamp.tv_nsec == 0)) return INT64_MAX;
  const int64_t at = stamp.tv_sec * 1000000000LL + stamp.tv_nsec;
  if (log) fprintf(log, "%ld %lld\n", done + (long)waiting, (long long)at);
  return at - (int64_t)(done + waiting) * 1000000000 / RATE;
}

int main(int argc, char **argv) {
  snd_pcm_uframes_t period = RATE / 8;
  if (argc > 2 && strcmp(argv[1], "--period") == 0) period = atol(argv[2]), argc -= 2, argv += 2;
  if (argc < 4 || argc - 3 > MOST)
    return fprintf(stderr, "usage: linkcap [--period FRAMES] SECONDS PREFIX DEVICE...\n"), 64;
  const int devices = argc - 3;
  const long frames = (long)(RATE * atof(argv[1])) / CHUNK * CHUNK;
  snd_pcm_t *pcm[MOST];
  FILE *file[MOST];
  int width[MOST];
  for (int i = 0; i < devices; i++) {
    width[i] = capture(&pcm[i], argv[3 + i], period);
    if (i) check(argv[3 + i], snd_pcm_link(pcm[0], pcm[i]));
    char name[4096];
    snprintf(name, sizeof name, "%s%d.wav", argv[2], i);
    if (!(file[i] = fopen(name, "wb"))) return perror(name), 73;
    header(file[i], frames * CHANNELS * width[i], width[i]);
  }
  char name[4096];
  snprintf(name, sizeof name, "%s.stamps", argv[2]);
  FILE *log = fopen(name, "w");
  if (!log) return perror(name), 73;
  check(argv[3], snd_pcm_start(pcm[0]));
  static int32_t buffer[CHUNK * CHANNELS];
  int64_t first = INT64_MAX;
  for (long done = 0; done < frames; done += CHUNK)
    for (int i = 0; i < devices; i++) {
      const snd_pcm_sframes_t got = snd_pcm_readi(pcm[i], buffer, CHUNK);
      if (got != CHUNK) return fprintf(stderr, "linkcap: %s: ended after %ld frames\n", argv[3 + i], done), 1;
      fwrite(buffer, CHANNELS * width[i], CHUNK, file[i]);
      const int64_t at = first_frame(pcm[i], done + CHUNK, i ? NULL : log);
      if (at < first) first = at;
    }
  for (int i = 0; i < devices; i++)
    if (fclose(file[i]) != 0) return perror(argv[2]), 74;
  if (fclose(log) != 0) return perror(name), 74;
  printf("frame 0 %lld\n", (long long)first);
  return 0;
}
