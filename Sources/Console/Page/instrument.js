// The instrument of the player: its notes and figures sound on this device. Touches, keys and movements all play through this class, and
// the surface shows what they play.

import { Activity } from "./activity.js"
import { POSITIONS, keyAt, positionsOf } from "./figures.js"
import { MotionPlayer } from "./motion-player.js"
import { placed, placedInSlide } from "./placement.js"
import { store, stored } from "./settings.js"
import { SharedNotes } from "./shared-notes.js"
import { showValue } from "./slider.js"

const element = (id) => document.getElementById(id)

const INSTRUMENT_KEY = "tutti.instrument"
const SENSITIVITY_KEY = "tutti.sensitivity"
const IN_TIME_KEY = "tutti.in-time"

/**
 * The instrument. Events: `change` when another instrument was chosen; `begin` when a note or a touch of a figure begins, with {source,
 * position, strength, moment, isFigure}, where `moment` is undefined if the note sounds at once; `end` when it ends, with {source}; `hand`
 * when a movement of the device has a new place, with {position, strength}.
 */
export class Instrument extends EventTarget {
  /** The chosen instrument, from the frame `sounds`; undefined before this frame has arrived. */
  instrument
  /** Whether the place *Play* is shown. Letters and movements play only there. */
  isVisible = false
  /** The figure of the instrument. Without a figure or a rhythm, `figure.isAvailable` is false. */
  figure
  motion
  #context
  #activity
  /** The notes and touches that are held, by their source, such as a pointer, a key or `motion`. The newest one is the last. */
  #held = new Map()
  /** The notes of the figure before this instant have been sent to the peer; undefined while none are sent. */
  #shared
  #sharedNotes

  constructor(context) {
    super()
    this.#context = context
    this.#sharedNotes = new SharedNotes(context.connection)
    this.#activity = new Activity(context.connection, () => this.#sensitivity, (interval) => this.#shareFigure(interval))
    this.figure = context.audio.figure
    this.motion = new MotionPlayer(this)
    const sensitivity = Number(stored(SENSITIVITY_KEY))
    if (sensitivity >= 1 && sensitivity <= 10) element("sensitivity").value = sensitivity
    showValue(element("sensitivity"))
    element("sensitivity").addEventListener("input", () => {
      store(SENSITIVITY_KEY, element("sensitivity").value)
      this.motion.setSensitivity(this.#sensitivity)
    })
    this.motion.setSensitivity(this.#sensitivity)
    element("in-time").checked = stored(IN_TIME_KEY) !== "false"
    element("in-time").addEventListener("change", () => store(IN_TIME_KEY, String(element("in-time").checked)))
    context.connection.addEventListener("sounds", () => this.#adopt())
    // The browser stops the timers and sensors of a hidden page, and sends no event when a finger leaves a locked screen.
    document.addEventListener("visibilitychange", () => document.hidden && this.#endAll())
    addEventListener("pagehide", () => this.#endAll())
    addEventListener("blur", () => this.releaseAll())
  }

  render() {
    this.motion.render()
  }

  /** Says something to the player that only concerns playing by movement. */
  tell(message, state) {
    this.#context.banner.tell(message, state)
  }

  /** Ends all notes, also those that are sent to the peer. */
  #endAll() {
    this.releaseAll()
    this.figure.stop()
    this.#sharedNotes.endAll()
  }

  /** The factor for the activity and for the strength of movements: 0.2 to 2. */
  get #sensitivity() {
    return Number(element("sensitivity").value) / 5
  }

  // The choice of the instrument.

  /** The instruments that the player can choose. */
  get choices() {
    return this.#context.audio.samples.instruments
  }

  /** Chooses the instrument of this device again after the peer has sent its instruments. If it is the same, its notes continue. */
  #adopt() {
    const chosen = this.instrument?.name ?? stored(INSTRUMENT_KEY)
    const instrument = this.choices.find(({ name }) => name === chosen) ?? this.choices[0]
    if (instrument && JSON.stringify(instrument) !== JSON.stringify(this.instrument)) this.#set(instrument)
  }

  choose(name) {
    const instrument = this.choices.find((choice) => choice.name === name)
    if (!instrument) return
    this.releaseAll()
    store(INSTRUMENT_KEY, name)
    this.#set(instrument)
  }

  #set(instrument) {
    this.instrument = instrument
    this.#context.audio.samples.setInstrument(instrument)
    this.figure.setInstrument(instrument)
    this.#context.player.setInstrument(instrument)
    this.motion.render()
    this.dispatchEvent(new Event("change"))
  }

  /** The number of positions of the instrument. */
  get positions() {
    return this.instrument ? positionsOf(this.instrument) : POSITIONS
  }

  /** The MIDI key of a position. While a style plays, the key belongs to the chord at an instant of the peer's clock (by default, now). */
  #key(position, instant) {
    const { connection, rhythm } = this.#context
    const chord = connection.hasClock ? rhythm.chord(instant ?? connection.peerTime()) : undefined
    return keyAt(this.instrument, position, chord)
  }

  /** Whether all are quiet. Then this device is silent too. */
  get #isQuiet() {
    return this.#context.state.ensemble?.isQuiet === true
  }

  // Playing.

  /**
   * Begins a touch or the press of a key, which plays a note. If the instrument plays a figure, the touch plays its note at once and then
   * bends the figure, which sounds as long as the touch lasts. `slide`: an object that all notes of a slide share (see placedInSlide); for a
   * note after the first one, `slide.isLater` is true. Returns a function that ends the touch.
   */
  touch(source, position, strength, { timeStamp }, slide) {
    if (!this.instrument) return undefined
    this.motion.touch()
    if (!this.figure.isAvailable) return this.strike(source, position, strength, { timeStamp, slide })
    const isNew = !slide?.isLater
    const stop = isNew ? this.#sound(position, strength, timeStamp) : undefined
    this.release(source)
    this.bend(position, strength, { holder: source })
    this.#activity.play(strength)
    this.#emit("begin", { source, position, strength, isFigure: true, isNew, isSilent: this.#isQuiet })
    return this.#hold(source, {
      position, strength, isFigure: true,
      end: () => {
        stop?.()
        this.figure.release(source)
        // Another finger that is still there leads the figure again.
        const other = [...this.#held.values()].filter(({ isFigure }) => isFigure).at(-1)
        if (other) this.figure.bend(other.position, other.strength)
        this.#context.audio.update()
      },
    })
  }

  /** Changes the strength of a touch that bends the figure: the finger has moved up or down. */
  press(source, strength) {
    const touch = this.#held.get(source)
    if (!touch?.isFigure) return
    touch.strength = strength
    this.bend(touch.position, strength, { holder: source })
  }

  /** Stores a note or a touch, for `release`. The returned function releases it, but not a later one of the same source. */
  #hold(source, touch) {
    this.#held.set(source, touch)
    return () => {
      if (this.#held.get(source) === touch) this.release(source)
    }
  }

  /** Bends the figure (see Figure.bend). */
  bend(position, strength, options) {
    this.figure.bend(position, strength, options)
    this.#context.audio.update()
  }

  /**
   * Begins a note, at once or on the next sixteenth of the rhythm. The note sounds until it is released. `timeStamp` is the time stamp of
   * the event that caused the note. Returns a function that releases the note.
   */
  strike(source, position, strength, { timeStamp, slide } = {}) {
    if (!this.instrument) return undefined
    this.release(source)
    const { connection, rhythm: { schedule } } = this.#context
    const now = connection.hasClock ? connection.peerTime(timeStamp) : undefined
    // A wind instrument changes its note in a slide without waiting.
    const isFree = now === undefined || !element("in-time").checked || (slide?.isLater && this.instrument.sustains)
    const instant = isFree ? undefined : slide ? placedInSlide(schedule, now, slide) : placed(schedule, now)
    const moment = instant && connection.moment(instant)
    const stop = this.#sound(position, strength, timeStamp, instant)
    // The activity of a movement is counted by `move`.
    if (source !== "motion") this.#activity.play(strength)
    this.#emit("begin", { source, position, strength, moment, isFigure: false, isSilent: this.#isQuiet })
    return this.#hold(source, { position, strength, isFigure: false, end: () => stop?.() })
  }

  /** Sounds a note on this device, and sends it to the peer if the player wants this. Returns a function that ends it. */
  #sound(position, strength, timeStamp, instant) {
    if (this.#isQuiet) return undefined
    const { audio, connection, partner } = this.#context
    const key = partner.key(this.#key(position, instant), this.instrument)
    const moment = instant && connection.moment(instant)
    const release = audio.play(this.instrument, key, strength, moment)
    const velocity = Math.max(1, Math.round(strength * 127))
    const touched = connection.hasClock ? connection.base + BigInt(Math.round(connection.peerTime(timeStamp))) : undefined
    const share = element("share").checked && this.#sharedNotes.begin(key, velocity, moment, touched)
    return () => {
      release?.()
      if (share) share()
    }
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  /** Whether a finger or a key, but not a movement, holds a note. */
  get isTouched() {
    return [...this.#held.keys()].some((source) => source !== "motion")
  }

  release(source) {
    const touch = this.#held.get(source)
    if (!touch) return
    this.#held.delete(source)
    touch.end()
    this.#emit("end", { source })
  }

  releaseAll() {
    for (const source of [...this.#held.keys()]) this.release(source)
  }

  /** Shows where the hand that moves the device is. */
  showHand(position, strength) {
    this.#emit("hand", { position, strength })
  }

  // The activity.

  /** Adds a movement of the device or of a finger, 0...1, to the activity. */
  move(movement) {
    this.#activity.move(movement)
  }

  /** The activity now, 0...127. */
  get activity() {
    return this.#activity.value
  }

  /** Sends the peer the notes of the figure that begin within an interval in milliseconds, if the player has chosen to send notes. */
  #shareFigure(interval) {
    const { connection } = this.#context
    if (!element("share").checked || !this.figure.isSounding) {
      this.#shared = undefined
      return
    }
    const now = connection.peerTime()
    const end = now + interval * 1e6
    for (const { hit, instant, end: last } of this.figure.planned(Math.max(now, this.#shared ?? now), end)) {
      const stop = this.#sharedNotes.begin(hit.note, hit.velocity, connection.moment(instant))
      setTimeout(stop, connection.moment(last) - performance.now())
    }
    this.#shared = end
  }
}
