// Waves: swings of the device about any axis. A wave is heard just after its fastest point.

import { dot, length, unit } from "./vector.js"

/** The rates of rotation of the softest and of the loudest wave in rad/s. */
const [SOFTEST, LOUDEST] = [2.6, 10]
/** A wave is over its fastest point below this share of its largest rate. */
const PASSED = 0.85
/** The rates in rad/s with which a wave begins and ends. */
const [BEGIN, END] = [1.6, 1]
/** Two waves are at least this far apart, in seconds. */
const REFRACTORY = 0.12
/** The time constant in seconds with which the level of waving falls. */
const RELEASE = 0.4
/** Without a gyroscope, this speed of the hand in m/s counts as the loudest wave. */
const LOUDEST_SPEED = 2

export class WaveDetector {
  /** How much the device is waved, 0...1. */
  level = 0
  #swing
  #age = Infinity

  /**
   * Adds a rate of rotation in rad/s, which has lasted for a number of seconds. Returns {strength, axis} if this sample is the
   * onset of a wave. Without a gyroscope, `turn` is undefined, and each strike is a wave; its axis is the direction of the strike.
   */
  add(turn, strike, { velocity }, seconds, sensitivity) {
    const share = turn ? length(turn) / LOUDEST : length(velocity) / LOUDEST_SPEED
    this.level = Math.min(1, Math.max(share * sensitivity, this.level * Math.exp(-seconds / RELEASE)))
    this.#age += seconds
    if (!turn) return strike && { strength: strike.strength, axis: strike.direction }
    return this.#follow(turn, sensitivity)
  }

  #follow(turn, sensitivity) {
    const rate = length(turn)
    if (this.#swing && dot(turn, this.#swing.axis) * sensitivity < END) this.#swing = undefined
    if (!this.#swing) {
      if (rate * sensitivity < BEGIN) return undefined
      this.#swing = { axis: unit(turn), peak: rate, hasSounded: false }
      return undefined
    }
    const swing = this.#swing
    if (rate > swing.peak) Object.assign(swing, { axis: unit(turn), peak: rate })
    const isOver = dot(turn, swing.axis) < PASSED * swing.peak
    if (swing.hasSounded || !isOver || swing.peak * sensitivity < SOFTEST || this.#age < REFRACTORY) return undefined
    swing.hasSounded = true
    this.#age = 0
    const share = (swing.peak * sensitivity - SOFTEST) / (LOUDEST - SOFTEST)
    return { strength: Math.min(1, 0.2 + 0.8 * share), axis: swing.axis }
  }
}
