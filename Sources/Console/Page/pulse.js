// Where the ear is: the position in the bar that is heard at a moment. Everything that moves in time with the rhythm asks here.
//
// The schedule gives the instants at which sounds are heard. The audio output plays them earlier, by its own delay. So what is drawn for a
// moment and what is heard at this moment belong together, and the delay of the output is not used here.

import { onEachFrame } from "./frame-loop.js"
import { beatAt, groupsOf } from "./meter.js"

const TICKS_PER_STEP = 6

export class Pulse {
  #connection
  #rhythm
  /** The functions that are called on each beat, and the beat of the last call. */
  #listeners = []
  #beat

  constructor({ connection, rhythm }) {
    this.#connection = connection
    this.#rhythm = rhythm
    onEachFrame((moment) => this.#draw(moment))
  }

  /** Whether a rhythm plays, or its count-in. */
  get plays() {
    return this.#rhythm.schedule?.plays === true && this.#connection.hasClock
  }

  /** The length of a quarter note in milliseconds; undefined before the first rhythm. */
  get quarter() {
    const { schedule } = this.#rhythm
    return schedule && schedule.quarter / 1e6
  }

  /**
   * The position at a moment of performance.now(); undefined while nothing plays. `tick` has a fraction. `place` is the number of steps
   * since the beginning of the bar, `beat` the present beat (see beatAt), and `phase` the share of this beat that has passed.
   */
  at(moment) {
    const { schedule } = this.#rhythm
    if (!this.plays) return undefined
    const tick = schedule.position(this.#connection.peerTime(moment))
    if (tick < schedule.firstSound || tick >= schedule.end) return undefined
    return { ...this.placeOf(tick), countsIn: tick < schedule.start }
  }

  /** The place of a tick in its bar; undefined without a patch. */
  placeOf(tick) {
    const patch = this.#rhythm.patchAt(tick)
    if (!patch) return undefined
    const { barSteps } = patch.table
    const step = tick / TICKS_PER_STEP - patch.firstStep
    const bar = Math.floor(step / barSteps)
    const place = step - bar * barSteps
    const groups = groupsOf(patch)
    const beat = beatAt(groups, place)
    return { tick, patch, bar, place, groups, beat, phase: (place - beat.from) / beat.length }
  }

  /** Calls a function on each beat, with the position. Without a rhythm, it is not called. */
  onBeat(listener) {
    this.#listeners.push(listener)
  }

  #draw(moment) {
    const position = this.at(moment)
    const beat = position?.patch && `${position.bar}/${position.beat.index}`
    if (beat !== this.#beat) {
      this.#beat = beat
      if (beat) for (const listener of this.#listeners) listener(position)
    }
    return this.plays
  }
}
