// ALSA_REALTIME_SAFE is a promise to the Swift compiler, which cannot look into C: the function takes no lock another thread
// could hold for long, does not allocate, and does not block but where it is there to wait. For handles opened non-blocking
// and used by one thread at a time ALSA keeps it for the sequencer, for cards (hw) and for its own conversions of their
// sound. The plugins of sound servers promise nothing: they take their server's lock, allocate, and wait for it, for ever
// if it hangs. Who plays through one can only bound what its thread's standing still does to others.
#ifndef CALSA_REALTIME_H
#define CALSA_REALTIME_H

#include <alsa/asoundlib.h>
#include <stdint.h>

#define ALSA_REALTIME_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

static inline void alsa_ignore_error(const char *file, int line, const char *function, int code, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

/// The library reports by return values alone and writes nothing to standard error from now on.
static inline void alsa_be_quiet(void) { snd_lib_error_set_handler(alsa_ignore_error); }

#endif
