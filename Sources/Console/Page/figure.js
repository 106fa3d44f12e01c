// The figure of an instrument: a pattern of notes in time with the rhythm. The player *bends* the figure, that is, changes its pitch, the
// number of its notes and their loudness. A RhythmPlayer schedules the figure like the rhythm.

import { figureOf, keyAt, shownPosition } from "./figures.js"

const TICKS_PER_STEP = 6
/** The figure sounds for this number of bars after the last movement. */
const BARS = 1
/** The strength is rounded to this number of levels, so that a small change does not cause sounds to be scheduled again. */
const LEVELS = 8
/** A sound that must be passed to the output within this time, in nanoseconds, is not changed any more. */
const MARGIN = 10e6
/** The length of a note in steps of the figure. */
const LENGTH = 1.5
/** The `part` of the hits: any pitched part of the rhythm, so that the RhythmPlayer plays tones and not drums. */
const TONE = 3

const modulo = (value, length) => ((value % length) + length) % length

/** A figure, with the methods of a Rhythm that RhythmPlayer calls. */
export class Figure {
  #rhythm
  #connection
  /** Returns the delay of the audio output in milliseconds. */
  #outputDelay
  #instrument
  /** The position of the lowest note, 0...7, and the strength of the movement, 0...1. */
  #position = 0
  #strength = 0
  /** The figure ends at this tick, unless it is held. */
  #until = -Infinity
  /** The series of runs in which the figure was bent (Schedule.series). */
  #series
  /** The pointers and keys that hold the figure. While the figure is held, it does not end. */
  #holders = new Set()
  /** The sounds that the last call of `sounds` has found, by tick. */
  #planned = new Map()

  constructor({ rhythm, connection, outputDelay }) {
    this.#rhythm = rhythm
    this.#connection = connection
    this.#outputDelay = outputDelay
  }

  /** The schedule of the rhythm. Called by RhythmPlayer. */
  get schedule() {
    return this.#rhythm.schedule
  }

  setInstrument(instrument) {
    this.#instrument = instrument
    this.stop()
  }

  /** The tick that sounds now; undefined while no rhythm plays, and during its count-in. */
  get #tick() {
    const { schedule } = this
    if (!schedule?.plays || !this.#connection.hasClock) return undefined
    const tick = schedule.position(this.#connection.peerTime())
    return tick >= schedule.start && tick < schedule.end ? tick : undefined
  }

  /** Whether the instrument plays a figure now: it has one, and a rhythm plays. */
  get isAvailable() {
    return this.#instrument !== undefined && figureOf(this.#instrument) !== undefined && this.#tick !== undefined
  }

  get isSounding() {
    const tick = this.#tick
    return tick !== undefined && this.isAvailable && this.#series === this.schedule.series && (this.#isHeld || tick < this.#until)
  }

  get #isHeld() {
    return this.#holders.size > 0
  }

  get position() {
    return this.#position
  }

  get strength() {
    return this.#strength
  }

  /**
   * Bends the figure: sets the position of its lowest note, 0...7, and the strength, 0...1. The strength determines how many notes sound,
   * and how loud. The figure sounds for a bar from now on. If a `holder` is given, the figure sounds until the last holder is released, and
   * for a bar afterwards.
   */
  bend(position, strength, { holder } = {}) {
    const tick = this.#tick
    if (tick === undefined) return
    this.#position = position
    this.#strength = Math.round(strength * LEVELS) / LEVELS
    if (holder !== undefined) this.#holders.add(holder)
    this.#series = this.schedule.series
    this.#extend(tick)
  }

  /** Lets the figure sound for a bar after a tick. */
  #extend(tick) {
    const barSteps = this.#rhythm.patchAt(Math.floor(tick))?.table.barSteps ?? 16
    this.#until = tick + BARS * barSteps * TICKS_PER_STEP
  }

  /** Ends the hold of a pointer or a key. */
  release(holder) {
    if (!this.#holders.delete(holder) || this.#isHeld) return
    const tick = this.#tick
    if (tick !== undefined) this.#extend(tick)
  }

  /** Ends the figure at once. */
  stop() {
    this.#until = -Infinity
    this.#holders.clear()
    this.#planned.clear()
  }

  /** The sounds that begin in an interval of instants, as in Rhythm.sounds. */
  sounds(from, to) {
    const { schedule } = this
    if (!this.isAvailable || this.#series !== schedule.series) return []
    // A sound that begins before `fixed` has been passed to the output. It cannot be changed any more, so the planned sound is kept.
    const fixed = this.#connection.peerTime() + this.#outputDelay() * 1e6 + MARGIN
    const planned = new Map()
    const { ticks } = figureOf(this.#instrument)
    // The swing delays a sound by less than a sixteenth. Therefore a sound whose tick is before `from` can begin after `from`.
    const first = Math.ceil(schedule.position(from)) - TICKS_PER_STEP
    const last = Math.floor(schedule.position(to))
    for (let tick = first; tick <= last; tick += 1) {
      const patch = this.#rhythm.patchAt(tick)
      // The steps of the figure count from the first tick of the patch.
      if (!patch || modulo(tick - patch.firstStep * TICKS_PER_STEP, ticks) !== 0) continue
      const at = this.#swung(tick, patch)
      const isFixed = schedule.instant(at) < fixed && this.#planned.has(tick)
      planned.set(tick, isFixed ? this.#placed(this.#planned.get(tick), at) : this.#sound(tick, patch))
    }
    this.#planned = planned
    return this.planned(from, to)
  }

  /** Of the sounds that the last call of `sounds` has found, returns those that begin in an interval of instants. */
  planned(from, to) {
    return [...this.#planned.values()].filter((sound) => sound && sound.instant >= from && sound.instant < to)
  }

  /** The position of a tick on a sixteenth, swung like the strokes of the rhythm. Other ticks, such as those of triplets, do not swing. */
  #swung(tick, patch) {
    const step = tick / TICKS_PER_STEP - patch.firstStep
    return Number.isInteger(step) ? tick + patch.table.swing[modulo(step, patch.table.barSteps) & 3] / 1000 : tick
  }

  /** The sound of a step of the figure, which begins at a tick; undefined if no note sounds. */
  #sound(tick, patch) {
    const { schedule } = this
    if (!schedule.includes(tick) || schedule.mixAt(tick).isQuiet || (!this.#isHeld && tick >= this.#until)) return undefined
    const { table } = patch
    const tickOfPatch = tick - patch.firstStep * TICKS_PER_STEP
    const { ticks, repeatsInBar, entries } = figureOf(this.#instrument)
    const tickOfFigure = repeatsInBar ? modulo(tickOfPatch, table.barSteps * TICKS_PER_STEP) : tickOfPatch
    const entry = entries[modulo(tickOfFigure / ticks, entries.length)]
    if (!entry || entry.from > this.#strength) return undefined
    const chord = table.chord(Math.floor(tickOfPatch / TICKS_PER_STEP))?.pitchClasses
    const note = keyAt(this.#instrument, this.#position, chord, entry.degree)
    const velocity = Math.round(entry.velocity + 50 * this.#strength)
    return this.#placed({
      // The tick and the position are for the display, which shows the key that plays the note.
      tick, position: shownPosition(this.#instrument, this.#position, entry.degree),
      key: `figure/${schedule.series}/${tick}/${note}/${velocity}`,
      hit: { part: TONE, program: this.#instrument.program, note, velocity, group: 0 },
    }, this.#swung(tick, patch))
  }

  /**
   * Computes the instants of the beginning and the end of a sound from its position `at` in ticks. The estimate of the peer's clock may
   * have changed since the sound was planned, so its earlier instants are not valid any longer. Undefined if `sound` is undefined.
   */
  #placed(sound, at) {
    const { schedule } = this
    const { ticks } = figureOf(this.#instrument)
    return sound && { ...sound, instant: schedule.instant(at), end: schedule.instant(at + LENGTH * ticks) }
  }
}
