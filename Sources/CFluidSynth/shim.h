// The FluidSynth calls the audio thread makes.
//
// AUDIO_THREAD_SAFE is a promise to the Swift compiler, which cannot look into C. It holds for a synthesizer created with
// "synth.threadsafe-api" 0 (its mutex is then never taken) and "synth.dynamic-sample-loading" 0 (samples are in memory):
// voices come from a pool made at creation, voice events from a ring made at creation. The allocation test checks it.
#ifndef CFLUIDSYNTH_SHIM_H
#define CFLUIDSYNTH_SHIM_H

#include <fluidsynth.h>

#define AUDIO_THREAD_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// Starts `note` on `channel`; it sounds from the first frame of the next block.
static inline void lane_note_on(fluid_synth_t *lane, int channel, int note, int velocity) AUDIO_THREAD_SAFE;
static inline void lane_note_on(fluid_synth_t *lane, int channel, int note, int velocity) {
  fluid_synth_noteon(lane, channel, note, velocity);
}

/// Lets `key` go on `channel`.
static inline void lane_note_off(fluid_synth_t *lane, int channel, int key) AUDIO_THREAD_SAFE;
static inline void lane_note_off(fluid_synth_t *lane, int channel, int key) { fluid_synth_noteoff(lane, channel, key); }

static inline void lane_key_pressure(fluid_synth_t *lane, int channel, int key, int pressure) AUDIO_THREAD_SAFE;
static inline void lane_key_pressure(fluid_synth_t *lane, int channel, int key, int pressure) {
  fluid_synth_key_pressure(lane, channel, key, pressure);
}

/// Sets a controller. Not for parameter 3, whose choice of a tuning allocates.
static inline void lane_controller(fluid_synth_t *lane, int channel, int controller, int value) AUDIO_THREAD_SAFE;
static inline void lane_controller(fluid_synth_t *lane, int channel, int controller, int value) {
  fluid_synth_cc(lane, channel, controller, value);
}

static inline void lane_program(fluid_synth_t *lane, int channel, int program) AUDIO_THREAD_SAFE;
static inline void lane_program(fluid_synth_t *lane, int channel, int program) {
  fluid_synth_program_change(lane, channel, program);
}

static inline void lane_channel_pressure(fluid_synth_t *lane, int channel, int pressure) AUDIO_THREAD_SAFE;
static inline void lane_channel_pressure(fluid_synth_t *lane, int channel, int pressure) {
  fluid_synth_channel_pressure(lane, channel, pressure);
}

/// Bends the pitch of `channel`: 0...16383, centred at 8192.
static inline void lane_pitch_bend(fluid_synth_t *lane, int channel, int bend) AUDIO_THREAD_SAFE;
static inline void lane_pitch_bend(fluid_synth_t *lane, int channel, int bend) {
  fluid_synth_pitch_bend(lane, channel, bend);
}

/// Ends every voice of `channel`, or of all channels (-1), with the start of the next block.
static inline void lane_silence(fluid_synth_t *lane, int channel) AUDIO_THREAD_SAFE;
static inline void lane_silence(fluid_synth_t *lane, int channel) { fluid_synth_all_sounds_off(lane, channel); }

/// Renders the next `count` frames.
static inline void lane_render(fluid_synth_t *lane, int count, float *left, float *right) AUDIO_THREAD_SAFE;
static inline void lane_render(fluid_synth_t *lane, int count, float *left, float *right) {
  fluid_synth_write_float(lane, count, left, 0, 1, right, 0, 1);
}

/// How many voices have not ended.
static inline int lane_voices(fluid_synth_t *lane) AUDIO_THREAD_SAFE;
static inline int lane_voices(fluid_synth_t *lane) { return fluid_synth_get_active_voice_count(lane); }

#endif
