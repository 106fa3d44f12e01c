// ALSA_REALTIME_SAFE declares to the Swift compiler, which does not check C code, that a function takes no lock that
// another thread can hold for long, does not allocate, and does not block unless its purpose is to wait.
//
// If a handle is opened non-blocking and used by one thread at a time, the declaration is true for the sequencer, for sound
// cards (hw), and for ALSA's own sample conversion plugins. It is false for the plugins of sound servers. They take locks
// of the server, allocate, and wait for the server, forever if the server hangs. A program that plays through such a plugin
// can only limit the effect of a blocked audio thread on its other threads.
#ifndef CALSA_REALTIME_H
#define CALSA_REALTIME_H

#include <alsa/asoundlib.h>
#include <stdint.h>

#define ALSA_REALTIME_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

static inline void alsa_ignore_error(const char *file, int line, const char *function, int code, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

/// Stops the ALSA library from writing error messages to standard error. Errors are reported by return values only.
static inline void alsa_be_quiet(void) { snd_lib_error_set_handler(alsa_ignore_error); }

#endif
