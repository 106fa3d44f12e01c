// The audio output of this device.

import { OutputClock } from "./output-clock.js"
import { RhythmPlayer } from "./player.js"
import { Samples } from "./samples.js"
import { store, stored } from "./settings.js"

const DELAY_KEY = "tutti.output-delay"
const LOUDNESS_KEY = "tutti.rhythm-loudness"
/** The output is recreated if its clock stands still for this time, in milliseconds. */
const STALL = 3000
const STANDARD_LOUDNESS = 80
/** The largest sample that the limiter distinguishes. */
const LIMITER_RANGE = 4
/** The cutoff frequency of an instrument in hertz, with the brightest and the dullest sound. */
const OPEN = 20_000
const DULL = 300
/** The largest change of the pitch in cents. */
const BEND = 200

function storedNumber(key, standard) {
  const value = Number(stored(key) ?? standard)
  return Number.isFinite(value) ? value : standard
}

/**
 * Limits the sum of all sounds like the Swift type SoftLimit. A DynamicsCompressorNode would delay the sound by 6 ms (Web Audio
 * API, section 1.19).
 */
function limiter(context) {
  const [knee, ceiling, points] = [0.5, 0.8, 4097]
  const curve = Float32Array.from({ length: points }, (_, index) => {
    const sample = ((2 * index) / (points - 1) - 1) * LIMITER_RANGE
    const excess = (Math.abs(sample) - knee) / (ceiling - knee)
    return excess <= 0 ? sample : Math.sign(sample) * (knee + (ceiling - knee) * (1 - 1 / (1 + excess)))
  })
  return new WaveShaperNode(context, { curve })
}

/** Events: `change` when the state or the samples have changed. */
export class Audio extends EventTarget {
  /** The loudness of the rhythm on this device in percent. */
  loudness = storedNumber(LOUDNESS_KEY, STANDARD_LOUDNESS)
  /** The delay of the output that the browser does not know, in milliseconds. */
  delay = storedNumber(DELAY_KEY, 0)
  context = undefined
  samples
  player = undefined
  outputClock = undefined
  #connection
  #rhythm
  #worker
  #manifest
  #rhythmGain
  #output
  /** The filter of the instrument, and the change of its pitch in cents. */
  #tone
  #bend
  /** The newest values of the controllers that change the instrument; undefined: none. */
  #shape = {}
  #lastTime = { time: -1, moment: 0 }

  constructor(connection, rhythm) {
    super()
    this.#connection = connection
    this.#rhythm = rhythm
    this.samples = new Samples(connection.headers)
    this.samples.addEventListener("progress", () => this.#changed())
    connection.addEventListener("sounds", ({ detail }) => {
      this.#manifest = detail
      this.#load()
    })
  }

  /** Opens the output. Must be called by a handler of a user's action, before any await. */
  start() {
    if (navigator.audioSession) navigator.audioSession.type = "playback"
    this.#open()
    if (!this.#worker) {
      this.#worker = new Worker("/timer.js")
      this.#worker.addEventListener("message", () => this.#poll())
    }
    return this.context.resume()
  }

  get isRunning() {
    return this.context?.state === "running"
  }

  #open() {
    const previous = this.context
    const context = new AudioContext({ latencyHint: "interactive" })
    this.context = context
    this.outputClock = new OutputClock(context)
    this.outputClock.manualDelay = this.delay / 1000
    this.#output = new GainNode(context, { gain: 1 / LIMITER_RANGE })
    this.#output.connect(limiter(context)).connect(context.destination)
    this.#rhythmGain = new GainNode(context, { gain: (this.loudness / 100) ** 2 })
    this.#rhythmGain.connect(this.#output)
    this.#tone = new BiquadFilterNode(context, { type: "lowpass", frequency: OPEN })
    this.#tone.connect(this.#output)
    this.#bend = new ConstantSourceNode(context, { offset: 0 })
    this.#bend.start()
    this.setShape(this.#shape)
    this.samples.context = context
    this.player = new RhythmPlayer({
      context, output: this.#rhythmGain, outputClock: this.outputClock, samples: this.samples,
      connection: this.#connection, rhythm: this.#rhythm,
    })
    context.addEventListener("statechange", () => this.#changed())
    previous?.close().catch(() => undefined)
    this.#load()
  }

  /** Loads the samples of the newest manifest. Nothing is loaded before the player joins. */
  #load() {
    if (this.#manifest && this.context) this.samples.setManifest(this.#manifest)
    this.#changed()
  }

  #changed() {
    this.dispatchEvent(new Event("change"))
  }

  /** Called by the worker. */
  #poll() {
    if (!this.context) return
    if (this.context.state === "interrupted" || this.context.state === "suspended") {
      this.context.resume().catch(() => undefined)
      return
    }
    this.#checkStall()
    this.update()
  }

  /** Recreates an output whose clock stands still. */
  #checkStall() {
    const now = performance.now()
    if (this.context.currentTime !== this.#lastTime.time) {
      this.#lastTime = { time: this.context.currentTime, moment: now }
    } else if (now - this.#lastTime.moment > STALL && !document.hidden) {
      this.#lastTime = { time: -1, moment: now }
      this.#open()
    }
  }

  /** Schedules the rhythm again. Called on each change of the rhythm. */
  update() {
    if (!this.isRunning) return
    this.outputClock.update()
    this.player.update()
  }

  setLoudness(percent) {
    this.loudness = percent
    store(LOUDNESS_KEY, String(percent))
    this.#rhythmGain?.gain.setTargetAtTime((percent / 100) ** 2, this.context.currentTime, 0.02)
  }

  setDelay(milliseconds) {
    this.delay = milliseconds
    store(DELAY_KEY, String(milliseconds))
    if (this.outputClock) this.outputClock.manualDelay = milliseconds / 1000
    this.update()
  }

  /**
   * Changes the sound of the instrument: `tone` from dull (0) to bright (127), `pitch` from two semitones lower (0) to two semitones
   * higher (127). Undefined: no change.
   */
  setShape({ tone, pitch }) {
    this.#shape = { tone, pitch }
    if (!this.context) return
    const now = this.context.currentTime
    const frequency = tone === undefined ? OPEN : DULL * (OPEN / DULL) ** (tone / 127)
    this.#tone.frequency.setTargetAtTime(Math.min(frequency, this.context.sampleRate / 2), now, 0.02)
    this.#bend.offset.setTargetAtTime(pitch === undefined ? 0 : ((pitch - 64) / 64) * BEND, now, 0.02)
  }

  /** The newest values of {@link setShape}. */
  get shape() {
    return this.#shape
  }

  /** The node from which all sounds go to the output. For tests. */
  get output() {
    return this.#output
  }

  /**
   * Plays a note of an instrument at once. Returns a function that releases it; undefined if the note cannot sound.
   * `strength` is 0...1.
   */
  play(instrument, key, strength) {
    if (!this.isRunning) return undefined
    const isDrum = instrument.drums.length > 0
    const sound = isDrum ? this.samples.drum(key) : this.samples.tone(instrument.program, key)
    if (!sound) return undefined
    const { context } = this
    const source = new AudioBufferSourceNode(context, { buffer: sound.buffer, playbackRate: sound.rate })
    const gain = new GainNode(context, { gain: sound.gain * Math.max(0.05, strength) ** 2 * 1.6 })
    source.connect(gain).connect(this.#tone)
    this.#bend.connect(source.detune)
    source.start()
    source.addEventListener("ended", () => {
      gain.disconnect()
      this.#bend.disconnect(source.detune)
    })
    return () => {
      if (!instrument.sustains) return
      gain.gain.setTargetAtTime(0, context.currentTime, 0.05)
      source.stop(context.currentTime + 0.4)
    }
  }
}
