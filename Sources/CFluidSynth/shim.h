// The FluidSynth functions of the audio thread. A lane is one FluidSynth instance.
//
// AUDIO_THREAD_SAFE declares to the Swift compiler, which does not check C code, that a function neither locks nor
// allocates. This holds for a synthesizer created with "synth.threadsafe-api" 0 (its mutex is never locked) and
// "synth.dynamic-sample-loading" 0 (all samples are in memory). Voices come from a pool, and voice events from a ring;
// both are allocated when the synthesizer is created. The allocation test checks this.
#ifndef CFLUIDSYNTH_SHIM_H
#define CFLUIDSYNTH_SHIM_H

#include <fluidsynth.h>

#define AUDIO_THREAD_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// Starts `note` on `channel`. The note sounds from the first frame of the next 64-frame block.
static inline void lane_note_on(fluid_synth_t *lane, int channel, int note, int velocity) AUDIO_THREAD_SAFE;
static inline void lane_note_on(fluid_synth_t *lane, int channel, int note, int velocity) {
  fluid_synth_noteon(lane, channel, note, velocity);
}

/// Sends a Note Off for `key` on `channel`.
static inline void lane_note_off(fluid_synth_t *lane, int channel, int key) AUDIO_THREAD_SAFE;
static inline void lane_note_off(fluid_synth_t *lane, int channel, int key) { fluid_synth_noteoff(lane, channel, key); }

/// Sets the polyphonic pressure of `key` on `channel`, 0...127.
static inline void lane_key_pressure(fluid_synth_t *lane, int channel, int key, int pressure) AUDIO_THREAD_SAFE;
static inline void lane_key_pressure(fluid_synth_t *lane, int channel, int key, int pressure) {
  fluid_synth_key_pressure(lane, channel, key, pressure);
}

/// Sets a controller, 0...127. Must not be used to select a tuning (registered parameter 3), because that allocates.
static inline void lane_controller(fluid_synth_t *lane, int channel, int controller, int value) AUDIO_THREAD_SAFE;
static inline void lane_controller(fluid_synth_t *lane, int channel, int controller, int value) {
  fluid_synth_cc(lane, channel, controller, value);
}

/// Selects the program of `channel`, 0...127.
static inline void lane_program(fluid_synth_t *lane, int channel, int program) AUDIO_THREAD_SAFE;
static inline void lane_program(fluid_synth_t *lane, int channel, int program) {
  fluid_synth_program_change(lane, channel, program);
}

/// Sets the channel pressure of `channel`, 0...127.
static inline void lane_channel_pressure(fluid_synth_t *lane, int channel, int pressure) AUDIO_THREAD_SAFE;
static inline void lane_channel_pressure(fluid_synth_t *lane, int channel, int pressure) {
  fluid_synth_channel_pressure(lane, channel, pressure);
}

/// Sets the pitch bend of `channel`, 0...16383. 8192 is the centre.
static inline void lane_pitch_bend(fluid_synth_t *lane, int channel, int bend) AUDIO_THREAD_SAFE;
static inline void lane_pitch_bend(fluid_synth_t *lane, int channel, int bend) {
  fluid_synth_pitch_bend(lane, channel, bend);
}

/// Ends all voices of `channel`, or of all channels (-1), at the start of the next 64-frame block.
static inline void lane_silence(fluid_synth_t *lane, int channel) AUDIO_THREAD_SAFE;
static inline void lane_silence(fluid_synth_t *lane, int channel) { fluid_synth_all_sounds_off(lane, channel); }

/// Renders the next `count` frames into `left` and `right`, each of `count` samples.
static inline void lane_render(fluid_synth_t *lane, int count, float *left, float *right) AUDIO_THREAD_SAFE;
static inline void lane_render(fluid_synth_t *lane, int count, float *left, float *right) {
  fluid_synth_write_float(lane, count, left, 0, 1, right, 0, 1);
}

/// Returns the number of active voices.
static inline int lane_voices(fluid_synth_t *lane) AUDIO_THREAD_SAFE;
static inline int lane_voices(fluid_synth_t *lane) { return fluid_synth_get_active_voice_count(lane); }

#endif
