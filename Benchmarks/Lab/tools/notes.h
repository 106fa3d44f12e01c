// The instants of the notes of note-latency.sh.
#include <stdint.h>

// About 149 ms apart, and spread evenly over the 64 frames between two interrupts of a sound card at 48 kHz, so that the median
// depends little on chance: the multiples of 64 frames times the golden ratio are spread evenly (Weyl).
static inline int64_t note_instant(int64_t begin, int64_t n) {
  const int64_t block = 1333333, spread = 824045;
  return begin + n * 112 * block + n * spread % block;
}

// How long a note sounds. All Sound Off then ends it, so that the next one begins in silence.
enum { NOTE_LENGTH = 80000000, SILENCE = 150000000 };
