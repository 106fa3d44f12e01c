// Schedules the sounds of the rhythm, or of a figure, on the audio output of this device.

/**
 * A hit is scheduled at most HORIZON seconds before it starts, or at most LONG_HORIZON while the page is hidden or looks for a peer. It is
 * heard later, by the delay of the output. When the page has found a peer, it is busy for a moment, which LONG_HORIZON bridges. While it
 * looks for a peer, no change can arrive.
 */
const HORIZON = 0.2
const LONG_HORIZON = 1.5
/** A scheduled sound is scheduled again if its time has changed by more than this, in seconds. */
const TOLERANCE = 0.001
/** A sound that begins within this time, in seconds, is not cancelled any more. */
const COMMITTED = 0.004
/** A sound that is late by at most this time, in seconds, still sounds, at once. */
const MAXIMUM_LATENESS = 0.02
/** A sound that has ended is remembered until this time after its beginning, in seconds. */
const MEMORY = 0.5
/** A note sounds for at least this time before it is released, in seconds. */
const SHORTEST_NOTE = 0.02
/** The time in which a released note (RELEASE) or a cut-off drum (CUT) fades out, in seconds: three time constants. */
const RELEASE = 0.08
const CUT = 0.006

/** Plays the sounds that `rhythm.sounds` returns: those of a Rhythm or of a Figure. */
export class RhythmPlayer {
  /** The number of hits that were scheduled late and therefore sounded late. */
  late = 0
  /** The number of hits that were scheduled. */
  scheduled = 0
  #context
  #output
  #bend
  #outputClock
  #samples
  #connection
  #rhythm
  /** The sounds that are scheduled, that sound, or that have ended a short time ago, by their keys. */
  #voices = new Map()

  /**
   * @param output the node to which the sounds go.
   * @param bend a node whose output is a change of the pitch in cents; undefined for none.
   * @param rhythm a Rhythm or a Figure.
   */
  constructor({ context, output, bend, outputClock, samples, connection, rhythm }) {
    this.#context = context
    this.#output = output
    this.#bend = bend
    this.#outputClock = outputClock
    this.#samples = samples
    this.#connection = connection
    this.#rhythm = rhythm
  }

  /** Schedules the next sounds, and cancels those that no longer belong to the rhythm. Called by a timer and after each change. */
  update() {
    if (!this.#connection.hasClock || this.#context.state !== "running") return
    const current = this.#context.currentTime
    const isLong = document.hidden || this.#connection.isSeeking
    const [from, to] = [current - MAXIMUM_LATENESS, current + (isLong ? LONG_HORIZON : HORIZON)].map((time) =>
      this.#connection.peerTime(this.#outputClock.moment(time)))
    const wanted = new Map()
    for (const sound of this.#rhythm.sounds(from, to)) {
      const time = this.#outputClock.time(this.#connection.moment(sound.instant))
      const end = sound.end === undefined ? undefined : this.#outputClock.time(this.#connection.moment(sound.end))
      wanted.set(sound.key, { ...sound, time, end })
    }
    for (const [key, voice] of this.#voices) {
      if (voice.time < current + COMMITTED) {
        // A sound that has just ended is still remembered, so that it is not scheduled again.
        if (voice.hasEnded && voice.time < current - MEMORY) this.#voices.delete(key)
        continue
      }
      const next = wanted.get(key)
      const isSame = next && next.hit.velocity === voice.velocity && Math.abs(next.time - voice.time) < TOLERANCE
      if (!isSame) this.#cancel(key, voice)
    }
    const added = [...wanted.values()].filter(({ key }) => !this.#voices.has(key)).sort((a, b) => a.time - b.time)
    for (const sound of added) this.#start(sound, current)
    this.#releaseStopped(current)
  }

  /** Schedules a sound. `current` is the present time of the AudioContext. */
  #start({ key, hit, time, end }, current) {
    if (time < current) {
      if (time < current - MAXIMUM_LATENESS) return
      this.late += 1
    }
    const sound = hit.part === 0 ? this.#samples.drum(hit.note) : this.#samples.tone(hit.program, hit.note)
    if (!sound) return
    const at = Math.max(time, current)
    const source = new AudioBufferSourceNode(this.#context, { buffer: sound.buffer, playbackRate: sound.rate })
    // SoundFont 2.04, section 8.4.1: velocity v attenuates by 40 log10(127 / v) dB.
    const level = sound.gain * (hit.velocity / 127) ** 2
    const gain = new GainNode(this.#context, { gain: level })
    source.connect(gain).connect(this.#output)
    this.#bend?.connect(source.detune)
    source.start(at)
    const voice = { source, gain, level, time, velocity: hit.velocity, group: hit.part === 0 ? hit.group : 0, cuts: [] }
    if (end !== undefined) {
      voice.isNote = true
      gain.gain.setTargetAtTime(0, Math.max(end, at + SHORTEST_NOTE), RELEASE / 3)
      source.stop(Math.max(end, at + SHORTEST_NOTE) + 2 * RELEASE)
    }
    this.#cut(voice)
    this.#voices.set(key, voice)
    this.scheduled += 1
    source.addEventListener("ended", () => this.#end(voice))
  }

  /** Disconnects the nodes of a sound that has ended or was cancelled. */
  #end(voice) {
    if (voice.hasEnded) return
    voice.hasEnded = true
    voice.gain.disconnect()
    this.#bend?.disconnect(voice.source.detune)
  }

  /** Lets a hit of a cut-off group end the earlier hits of its group. */
  #cut(voice) {
    if (voice.group === 0) return
    for (const other of this.#voices.values()) {
      if (other.group !== voice.group || other.isCut || other.hasEnded || other.time >= voice.time) continue
      other.isCut = true
      other.gain.gain.setTargetAtTime(0, voice.time, CUT / 3)
      voice.cuts.push(other)
    }
  }

  /** Cancels a sound that has not begun. */
  #cancel(key, voice) {
    voice.source.stop()
    this.#end(voice)
    this.#voices.delete(key)
    // The sounds that the cancelled hit would have cut off continue.
    for (const other of voice.cuts) {
      if (other.hasEnded) continue
      other.isCut = false
      other.gain.gain.cancelScheduledValues(this.#context.currentTime)
      other.gain.gain.setValueAtTime(other.level, this.#context.currentTime)
    }
  }

  /** Releases the notes that still sound after the rhythm has stopped. */
  #releaseStopped(current) {
    const { schedule } = this.#rhythm
    const isPlaying = schedule?.plays && schedule.position(this.#connection.peerTime()) < schedule.end
    if (isPlaying) return
    for (const voice of this.#voices.values()) {
      if (!voice.isNote || voice.isReleased || voice.hasEnded || voice.time > current) continue
      voice.isReleased = true
      voice.gain.gain.cancelScheduledValues(current)
      voice.gain.gain.setTargetAtTime(0, current, RELEASE / 3)
    }
  }
}
