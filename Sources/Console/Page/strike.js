// Strikes and shakes: movements of the hand that end with hard braking. motion.js explains the method.

import { dot, length, plus, scaled, unit } from "./vector.js"

/** The time constant of the leak of the integration in seconds. */
const LEAK = 0.5
/** The device is quiet below this acceleration in m/s^2. After this time in seconds, its speed is zero. */
const QUIET = 1
const QUIET_TIME = 0.06
/** The speeds of the softest and of the loudest strike in m/s. */
const [SOFTEST, LOUDEST] = [0.35, 2.5]
/** A strike accelerates by at least this much in m/s^2, and brakes by at least this much, or by half of its push. */
const PUSH = 3.5
const BRAKE = 4
/** With few samples per second, the braking may fall between two samples. The push has then ended for this time in seconds. */
const COAST = 0.04
/** Two strikes are at least this far apart, in seconds. */
const REFRACTORY = 0.12
/** For this time in seconds, a movement in the opposite direction below this share of the speed is the way back of a strike. */
const RETURN = 0.7
/** The same for a movement in the same direction, which may be the end of the way back. */
const REBOUND = 0.5
const RETURN_TIME = 0.5
/** Then the share falls with this time constant in seconds. */
const RETURN_FADE = 0.3
/** Without gyroscope and linear acceleration, a strike changes the length of the acceleration by this much in m/s^2. */
const PROOF = 3.5
/**
 * Without these sensors, or with a larger mean distance of samples in seconds, the speed is known less well. Strikes are then at
 * least this far apart in seconds, and weaker movements are not heard for a while.
 */
const COARSE = 0.04
const COARSE_REFRACTORY = 0.24
const COARSE_RETURN = 1.2
const COARSE_REBOUND = 0.8

export class StrikeDetector {
  /** The estimated speed of the device as a vector, in m/s. */
  velocity = [0, 0, 0]
  #last = [0, 0, 0]
  #quiet = 0
  /** The mean distance of samples in seconds. */
  #distance = 0.016
  #isCoarse = false
  /** The present stroke: its direction, its largest speed and push, the time without push, and whether it has sounded. */
  #stroke = newStroke()
  /** The newest strike. */
  #strike = { speed: 0, direction: [0, 0, 0], age: Infinity }

  /**
   * Adds an acceleration without gravity in m/s^2, which has lasted for a number of seconds. `proof` is the change of the length
   * of the vector with gravity, if nothing else shows that the device is not only turned. Returns {strength, direction} if this
   * sample is the onset of a strike.
   */
  add(push, seconds, sensitivity, proof = Infinity) {
    this.#integrate(push, seconds)
    this.#distance += (seconds - this.#distance) * 0.1
    this.#isCoarse = proof < Infinity || this.#distance > COARSE
    const stroke = this.#stroke
    const speed = length(this.velocity)
    const along = speed > 0 ? dot(push, this.velocity) / speed : 0
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
    const share = (stroke.speed * sensitivity - SOFTEST) / (LOUDEST - SOFTEST)
    return { strength: Math.min(1, 0.2 + 0.8 * share), direction: stroke.direction }
  }

  #integrate(push, seconds) {
    this.#quiet = length(push) < QUIET ? this.#quiet + seconds : 0
    const mean = scaled(plus(push, this.#last), 0.5)
    this.velocity = plus(scaled(this.velocity, Math.exp(-seconds / LEAK)), mean, seconds)
    this.#last = push
  }

  #stop() {
    this.velocity = [0, 0, 0]
    this.#stroke = newStroke()
  }

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

function newStroke() {
  return { direction: [0, 0, 0], speed: 0, push: 0, proof: 0, coast: 0, hasSounded: false }
}
