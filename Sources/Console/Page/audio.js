// The audio output of this device: the rhythm, the notes of the player, and the delay of the output.

import { Figure } from "./figure.js"
import { OutputClock } from "./output-clock.js"
import { RhythmPlayer } from "./player.js"
import { Samples } from "./samples.js"
import { store, stored } from "./settings.js"

const DELAY_KEY = "tutti.output-delay"
const CALIBRATION_KEY = "tutti.calibration"
const LOUDNESS_KEY = "tutti.rhythm-loudness"
const INSTRUMENT_LOUDNESS_KEY = "tutti.instrument-loudness"
/** If the clock of the AudioContext stands still for this time, in milliseconds, a new AudioContext replaces it. */
const STALL = 3000
/** The loudness of the rhythm and of the instrument before the player changes it, in percent. */
const [STANDARD_LOUDNESS, STANDARD_INSTRUMENT_LOUDNESS] = [80, 100]
/** The largest sample value that the limiter distinguishes. Larger values count as this one. */
const LIMITER_RANGE = 4
/** The cutoff frequency of the filter of the instrument in hertz, with the brightest and with the dullest sound. */
const OPEN = 20_000
const DULL = 300
/** The largest change of the instrument's pitch in cents. */
const BEND = 200
/** A click of a calibration is scheduled at most this long in advance, in seconds. A longer wait comes from an error of the clock. */
const LONGEST_WAIT = 2
/** The range of the delays that are stored, in milliseconds. */
const [LEAST_DELAY, LARGEST_DELAY] = [-200, 2000]

const limited = (value, least, largest) => Math.min(Math.max(value, least), largest)
const limitedDelay = (milliseconds) => limited(milliseconds, LEAST_DELAY, LARGEST_DELAY)

/** A number that is stored on this device. The player may have changed it to any text, so `standard` is used if it is not a number. */
function storedNumber(key, standard) {
  const value = Number(stored(key) ?? standard)
  return Number.isFinite(value) ? value : standard
}

const storedDelay = () => limitedDelay(storedNumber(DELAY_KEY, 0))

/** The stored calibrations of all outputs of this device, by the key of the output. */
function storedCalibrations() {
  try {
    const calibrations = JSON.parse(stored(CALIBRATION_KEY) ?? "{}")
    return typeof calibrations === "object" && calibrations ? calibrations : {}
  } catch {
    return {}
  }
}

/**
 * Creates a node that limits the sum of all sounds, as the Swift type SoftLimit does. Its input must be divided by LIMITER_RANGE. A
 * DynamicsCompressorNode would delay the sound by 6 ms (Web Audio API, section 1.19).
 */
function limiter(context) {
  // Sample values up to the knee remain unchanged. Larger values approach the ceiling. `points` is the number of points of the curve.
  const [knee, ceiling, points] = [0.5, 0.8, 4097]
  const curve = Float32Array.from({ length: points }, (_, index) => {
    const sample = ((2 * index) / (points - 1) - 1) * LIMITER_RANGE
    const excess = (Math.abs(sample) - knee) / (ceiling - knee)
    return excess <= 0 ? sample : Math.sign(sample) * (knee + (ceiling - knee) * (1 - 1 / (1 + excess)))
  })
  return new WaveShaperNode(context, { curve })
}

/** The audio output. Events: `change` when the state of the output, its delay, or the loaded samples have changed. */
export class Audio extends EventTarget {
  /** The loudness of the rhythm on this device in percent. */
  loudness = limited(storedNumber(LOUDNESS_KEY, STANDARD_LOUDNESS), 0, 100)
  /** The loudness of the instrument of the player in percent. */
  instrumentLoudness = limited(storedNumber(INSTRUMENT_LOUDNESS_KEY, STANDARD_INSTRUMENT_LOUDNESS), 0, 100)
  /** The delay of the output that the player has set, in milliseconds. */
  #manualDelay = storedDelay()
  #calibrations = storedCalibrations()
  /** The AudioContext; undefined before the player joins. */
  context = undefined
  samples
  /** Plays the rhythm. */
  player = undefined
  /** The figure of the player's instrument. */
  figure
  /** Plays the figure. */
  figurePlayer = undefined
  outputClock = undefined
  #connection
  #rhythm
  #worker
  #rhythmGain
  #instrumentGain
  #output
  /** The node that filters the instrument, and the node whose output is the change of the instrument's pitch in cents. */
  #tone
  #bend
  /** The newest values of {@link setShape}. */
  #shape = {}
  /** The key of the output whose delay is applied. */
  #appliedOutput
  /** The newest time of the AudioContext in seconds, and the moment in milliseconds at which this time was first seen. */
  #lastTime = { time: -1, moment: 0 }

  constructor(connection, rhythm) {
    super()
    this.#connection = connection
    this.#rhythm = rhythm
    this.samples = new Samples(connection.headers)
    // How much later a sound is heard than the AudioContext plays it, in milliseconds.
    const outputDelay = () => (this.outputClock.time(performance.now()) - this.context.currentTime) * -1000
    this.figure = new Figure({ rhythm, connection, outputDelay })
    this.samples.addEventListener("progress", () => this.#changed())
    connection.addEventListener("patch", ({ detail }) => this.samples.setPatch(detail.newest))
    connection.addEventListener("sounds", ({ detail }) => {
      this.samples.setManifest(detail, connection.origin)
      this.#changed()
    })
    addEventListener("storage", ({ key }) => this.#adopt(key))
  }

  /** Applies a setting that another tab has changed. */
  #adopt(key) {
    if (key === CALIBRATION_KEY) this.#calibrations = storedCalibrations()
    else if (key === DELAY_KEY) this.#manualDelay = storedDelay()
    else return
    this.#applyDelay()
    this.update()
    this.#changed()
  }

  /** Opens the output. The handler of a click must call it before any await, because browsers permit sound only after a user's action. */
  start() {
    // With this type of audio session, the page sounds on iOS even if the phone is set to silent.
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

  /** Creates an AudioContext and all nodes, and closes the previous one. */
  #open() {
    const previous = this.context
    const context = new AudioContext({ latencyHint: "interactive" })
    this.context = context
    this.outputClock = new OutputClock(context)
    this.#applyDelay()
    this.#output = new GainNode(context, { gain: 1 / LIMITER_RANGE })
    this.#output.connect(limiter(context)).connect(context.destination)
    this.#rhythmGain = new GainNode(context, { gain: (this.loudness / 100) ** 2 })
    this.#rhythmGain.connect(this.#output)
    this.#tone = new BiquadFilterNode(context, { type: "lowpass", frequency: OPEN })
    this.#instrumentGain = new GainNode(context, { gain: (this.instrumentLoudness / 100) ** 2 })
    this.#tone.connect(this.#instrumentGain).connect(this.#output)
    this.#bend = new ConstantSourceNode(context, { offset: 0 })
    this.#bend.start()
    this.setShape(this.#shape)
    this.samples.context = context
    this.player = new RhythmPlayer({
      context, output: this.#rhythmGain, outputClock: this.outputClock, samples: this.samples,
      connection: this.#connection, rhythm: this.#rhythm,
    })
    this.figurePlayer = new RhythmPlayer({
      context, output: this.#tone, bend: this.#bend, outputClock: this.outputClock, samples: this.samples,
      connection: this.#connection, rhythm: this.figure,
    })
    context.addEventListener("statechange", () => this.#changed())
    previous?.close().catch(() => undefined)
    this.#changed()
  }

  #changed() {
    this.dispatchEvent(new Event("change"))
  }

  /** Called by the timer of the worker, every 40 ms. */
  #poll() {
    this.#connection.poll()
    if (!this.context) return
    if (this.context.state === "interrupted" || this.context.state === "suspended") {
      this.context.resume().catch(() => undefined)
      return
    }
    this.#checkStall()
    this.update()
  }

  /** Replaces an AudioContext whose clock stands still. */
  #checkStall() {
    const now = performance.now()
    if (this.context.currentTime !== this.#lastTime.time) {
      this.#lastTime = { time: this.context.currentTime, moment: now }
    } else if (now - this.#lastTime.moment > STALL && !document.hidden) {
      this.#lastTime = { time: -1, moment: now }
      this.#open()
    }
  }

  /** Schedules the sounds of the rhythm and of the figure. Called by the timer, and after each change. */
  update() {
    if (!this.isRunning) return
    if (this.#outputKey !== this.#appliedOutput) {
      this.#applyDelay()
      this.#changed()
    }
    this.outputClock.update()
    this.player.update()
    this.figurePlayer.update()
  }

  /** Sets the loudness of the rhythm in percent. The gain is the square of the loudness, as in the Swift type Fader. */
  setLoudness(percent) {
    this.loudness = percent
    store(LOUDNESS_KEY, String(percent))
    this.#rhythmGain?.gain.setTargetAtTime((percent / 100) ** 2, this.context.currentTime, 0.02)
  }

  /** Sets the loudness of the instrument of the player in percent. */
  setInstrumentLoudness(percent) {
    this.instrumentLoudness = percent
    store(INSTRUMENT_LOUDNESS_KEY, String(percent))
    this.#instrumentGain?.gain.setTargetAtTime((percent / 100) ** 2, this.context.currentTime, 0.02)
  }

  /**
   * A key for the output in use. Browsers do not identify the output, so the key consists of the chosen device, the sample rate and the
   * number of channels. A Bluetooth loudspeaker usually differs from the loudspeaker of the device in one of these.
   */
  get #outputKey() {
    const { sinkId = "", sampleRate, destination } = this.context
    return [typeof sinkId === "string" ? sinkId : "none", sampleRate, destination.maxChannelCount].join("/")
  }

  /** The calibration of the output in use, in milliseconds: {delay, uncertainty}; undefined if there is none. */
  get calibration() {
    const calibration = this.context && this.#calibrations[this.#outputKey]
    if (!Number.isFinite(calibration?.delay) || !Number.isFinite(calibration.uncertainty)) return undefined
    return { ...calibration, delay: limitedDelay(calibration.delay) }
  }

  /** The delay of the output beyond the delay that the browser reports, in milliseconds: calibrated, or set by the player. */
  get delay() {
    return this.calibration?.delay ?? this.#manualDelay
  }

  #applyDelay() {
    if (!this.context) return
    this.#appliedOutput = this.#outputKey
    this.outputClock.manualDelay = this.delay / 1000
  }

  /** Sets the delay that the player has entered. It replaces the calibration of the output in use. */
  setDelay(milliseconds) {
    this.#manualDelay = milliseconds
    store(DELAY_KEY, String(milliseconds))
    this.#setCalibration(undefined)
  }

  /** Stores the calibration of the output in use: the measured delay and its error, in milliseconds. */
  setCalibration(delay, uncertainty) {
    this.#setCalibration({ delay, uncertainty })
  }

  #setCalibration(calibration) {
    if (this.context) {
      // Another tab may have stored a calibration of another output in the meantime.
      this.#calibrations = { ...this.#calibrations, ...storedCalibrations(), [this.#outputKey]: calibration }
      store(CALIBRATION_KEY, JSON.stringify(this.#calibrations))
    }
    this.#applyDelay()
    this.update()
    this.#changed()
  }

  /**
   * Plays a drum at a moment of performance.now(), for a calibration. The correction by {@link delay} is not applied. A click that would
   * sound at a wrong time is left out.
   */
  click(note, moment) {
    const sound = this.isRunning && this.samples.drum(note)
    if (!sound) return
    this.outputClock.update()
    const time = this.outputClock.time(moment) + this.outputClock.manualDelay
    if (time < this.context.currentTime || time > this.context.currentTime + LONGEST_WAIT) return
    const source = new AudioBufferSourceNode(this.context, { buffer: sound.buffer, playbackRate: sound.rate })
    const gain = new GainNode(this.context, { gain: sound.gain })
    source.connect(gain).connect(this.#output)
    source.start(time)
    source.addEventListener("ended", () => gain.disconnect())
  }

  /**
   * Changes the sound of the instrument: `tone` from dull (0) to bright (127), `pitch` from two semitones lower (0) to two semitones
   * higher (127). If a value is undefined, the samples keep their tone or their pitch.
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

  /** The node to which the notes of the instruments go. Its gain is the loudness of the instrument. */
  get instrumentOutput() {
    return this.#instrumentGain
  }

  /** The node from which all sounds go to the output. For tests. */
  get output() {
    return this.#output
  }

  /**
   * Plays a note of an instrument at a moment of performance.now(), or at once. Returns a function that releases the note; undefined if
   * the note cannot sound. `strength` is 0...1.
   */
  play(instrument, key, strength, moment) {
    if (!this.isRunning) return undefined
    const isDrum = instrument.drums.length > 0
    const sound = isDrum ? this.samples.drum(key) : this.samples.tone(instrument.program, key)
    if (!sound) return undefined
    this.outputClock.update()
    const { context } = this
    // A new AudioContext, with other nodes, may replace this one before the note ends.
    const bend = this.#bend
    const source = new AudioBufferSourceNode(context, { buffer: sound.buffer, playbackRate: sound.rate })
    // The gain is proportional to the square of the strength. It is 1.6 times that of a hit of the rhythm with the same strength.
    const gain = new GainNode(context, { gain: sound.gain * Math.max(0.05, strength) ** 2 * 1.6 })
    source.connect(gain).connect(this.#tone)
    bend.connect(source.detune)
    const begin = moment === undefined ? context.currentTime : Math.max(context.currentTime, this.outputClock.time(moment))
    source.start(begin)
    source.addEventListener("ended", () => {
      gain.disconnect()
      bend.disconnect(source.detune)
    })
    return () => {
      if (!instrument.sustains) return
      // A note sounds for at least 0.1 s, and then fades out with a time constant of 0.05 s.
      const end = Math.max(context.currentTime, begin + 0.1)
      gain.gain.setTargetAtTime(0, end, 0.05)
      source.stop(end + 0.4)
    }
  }
}
