// Recognises waves: swings of the device about any axis. The onset of a wave is just after its fastest point.

import { dot, length, unit } from "./vector.js"

/** The rates of rotation of the softest and of the loudest wave in rad/s. */
const [SOFTEST, LOUDEST] = [2.6, 10]
/** A wave has passed its fastest point when its rate is below this share of its largest rate. */
const PASSED = 0.85
/** A wave begins above the first of these rates, and ends below the second, in rad/s. */
const [BEGIN, END] = [1.6, 1]
/** The least time between the onsets of two waves, in seconds. */
const REFRACTORY = 0.12
/** The time constant in seconds with which the level of waving falls after a movement. */
const RELEASE = 0.4
/** Without a gyroscope, this speed of the hand in m/s counts as the loudest wave. */
const LOUDEST_SPEED = 2

/** Finds the onsets of waves in the samples of a gyroscope. */
export class WaveDetector {
  /** How much the device is waved, 0...1. */
  level = 0
  /** The present wave: its axis, its largest rate, and whether its onset was reported. Undefined between two waves. */
  #swing
  /** The time since the last onset in seconds. */
  #age = Infinity

  /**
   * Adds a sample of the gyroscope: `turn` is the rate of rotation in rad/s, which has lasted for `seconds`. Returns {strength, axis} if
   * the onset of a wave is at this sample. Without a gyroscope, `turn` is undefined. Each `strike` that the StrikeDetector has found then
   * counts as a wave, and the axis of this wave is the direction of the strike. `velocity` is the velocity that the StrikeDetector has
   * estimated. `sensitivity` multiplies the rate of rotation and the velocity.
   */
  add(turn, strike, { velocity }, seconds, sensitivity) {
    const share = turn ? length(turn) / LOUDEST : length(velocity) / LOUDEST_SPEED
    this.level = Math.min(1, Math.max(share * sensitivity, this.level * Math.exp(-seconds / RELEASE)))
    this.#age += seconds
    if (!turn) return strike && { strength: strike.strength, axis: strike.direction }
    return this.#follow(turn, sensitivity)
  }

  /** Follows the present wave of the gyroscope. Returns {strength, axis} at its onset. */
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
    // The softest wave has the strength 0.2, the loudest 1.
    const share = (swing.peak * sensitivity - SOFTEST) / (LOUDEST - SOFTEST)
    return { strength: Math.min(1, 0.2 + 0.8 * share), axis: swing.axis }
  }
}
