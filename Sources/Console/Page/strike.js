// Recognises strikes and shakes: movements of the hand that end with hard braking. motion.js explains the method.
//
// A *push* is the acceleration without gravity. A *stroke* is one movement in one direction. A *strike* is a stroke that is reported,
// because it is strong enough.

import { dot, length, plus, scaled, unit } from "./vector.js"

/** The time constant of the leak of the integration in seconds. */
const LEAK = 0.5
/** The device is quiet below this acceleration in m/s^2. After QUIET_TIME seconds of quiet, its speed counts as zero. */
const QUIET = 1
const QUIET_TIME = 0.06
/** The speeds of the softest and of the loudest strike in m/s. */
const [SOFTEST, LOUDEST] = [0.35, 2.5]
/** The least acceleration of a strike, in m/s^2. */
const PUSH = 3.5
/** The least deceleration with which a strike brakes, in m/s^2. It must also be at least half of the strike's largest acceleration. */
const BRAKE = 4
/**
 * With few samples per second, the braking may fall between two samples. A stroke therefore also ends when there was almost no acceleration
 * for this time in seconds.
 */
const COAST = 0.04
/** The least time between two strikes, in seconds. */
const REFRACTORY = 0.12
/**
 * After a strike, the hand returns, which is not a strike. For RETURN_TIME seconds, a stroke in the opposite direction is ignored if its
 * speed is below the share RETURN of the speed of the strike. A stroke in the same direction may be the end of the return. It is ignored
 * if its speed is below the share REBOUND of the speed of the strike.
 */
const RETURN = 0.7
const REBOUND = 0.5
const RETURN_TIME = 0.5
/** After RETURN_TIME, these shares fall with this time constant in seconds. */
const RETURN_FADE = 0.3
/**
 * If a device has only an accelerometer, a strike must change the length of the acceleration by at least this much in m/s^2. A mere
 * rotation does not change the length.
 */
const PROOF = 3.5
/**
 * If the mean time between two samples is above COARSE seconds, or if the device has only an accelerometer, the speed of the hand is known
 * less exactly. The values below then replace REFRACTORY, RETURN and REBOUND.
 */
const COARSE = 0.04
const COARSE_REFRACTORY = 0.24
const COARSE_RETURN = 1.2
const COARSE_REBOUND = 0.8

/** Finds the onsets of strikes in a sequence of accelerations. */
export class StrikeDetector {
  /** The estimated velocity of the device, in m/s. */
  velocity = [0, 0, 0]
  /** The acceleration of the previous sample. */
  #last = [0, 0, 0]
  /** How long the device has been quiet, in seconds. */
  #quiet = 0
  /** The mean time between two samples in seconds. */
  #interval = 0.016
  /** Whether the speed of the hand is known less exactly (see COARSE). */
  #isCoarse = false
  /** The present stroke, see newStroke. */
  #stroke = newStroke()
  /** The newest strike: its speed, its direction, and the time since its onset in seconds. */
  #strike = { speed: 0, direction: [0, 0, 0], age: Infinity }

  /**
   * Adds a sample: `push` is the acceleration without gravity in m/s^2, which has lasted for `seconds`. If the device has only an
   * accelerometer, `proof` is the difference in m/s^2 between the length of the measured acceleration and gravity. `sensitivity` multiplies
   * the strength. Returns {strength, direction} if the onset of a strike is at this sample.
   */
  add(push, seconds, sensitivity, proof = Infinity) {
    this.#integrate(push, seconds)
    this.#interval += (seconds - this.#interval) * 0.1
    this.#isCoarse = proof < Infinity || this.#interval > COARSE
    const stroke = this.#stroke
    const speed = length(this.velocity)
    // The acceleration in the direction of the movement; negative while the hand brakes.
    const along = speed > 0 ? dot(push, this.velocity) / speed : 0
    // The direction has reversed: a new stroke begins.
    if (dot(this.velocity, stroke.direction) < 0) Object.assign(stroke, newStroke())
    if (speed > stroke.speed) Object.assign(stroke, { speed, direction: unit(this.velocity) })
    stroke.push = Math.max(stroke.push, along)
    stroke.proof = Math.max(stroke.proof, proof)
    stroke.coast = length(push) < 0.3 * stroke.push ? stroke.coast + seconds : 0
    this.#strike.age += seconds
    const ends = along <= -Math.max(BRAKE, stroke.push / 2) || stroke.coast >= COAST
    const isOnset = ends && !stroke.hasSounded && this.#isStrong(stroke, sensitivity)
    if (this.#quiet >= QUIET_TIME) this.#stop()
    if (!isOnset) return undefined
    stroke.hasSounded = true
    this.#strike = { speed: stroke.speed, direction: stroke.direction, age: 0 }
    // The softest strike has the strength 0.2, the loudest 1.
    const share = (stroke.speed * sensitivity - SOFTEST) / (LOUDEST - SOFTEST)
    return { strength: Math.min(1, 0.2 + 0.8 * share), direction: stroke.direction }
  }

  /** Integrates the acceleration to the velocity, with a leak. */
  #integrate(push, seconds) {
    this.#quiet = length(push) < QUIET ? this.#quiet + seconds : 0
    const mean = scaled(plus(push, this.#last), 0.5)
    this.velocity = plus(scaled(this.velocity, Math.exp(-seconds / LEAK)), mean, seconds)
    this.#last = push
  }

  /** Sets the velocity to zero, and ends the present stroke. */
  #stop() {
    this.velocity = [0, 0, 0]
    this.#stroke = newStroke()
  }

  /** Whether a stroke is strong enough for a strike, and is not the return of the hand after the last strike. */
  #isStrong({ speed, push, proof, direction }, sensitivity) {
    if (speed * sensitivity < SOFTEST || push * Math.max(1, sensitivity) < PUSH || proof < PROOF) return false
    const last = this.#strike
    if (last.age < (this.#isCoarse ? COARSE_REFRACTORY : REFRACTORY)) return false
    const fade = Math.exp(-Math.max(0, last.age - RETURN_TIME) / RETURN_FADE)
    const isReturn = dot(direction, last.direction) < 0
    const [same, opposite] = this.#isCoarse ? [COARSE_REBOUND, COARSE_RETURN] : [REBOUND, RETURN]
    const share = isReturn ? opposite : same
    return speed >= share * last.speed * fade
  }
}

/**
 * A stroke: the direction and the speed of its fastest moment, its largest acceleration (`push`), its largest `proof`, for how many seconds
 * there has been almost no acceleration (`coast`), and whether its strike was reported.
 */
function newStroke() {
  return { direction: [0, 0, 0], speed: 0, push: 0, proof: 0, coast: 0, hasSounded: false }
}
