// Recognises strikes, shakes, waves and tilt from the motion sensors of a device. Pure: it reads no clock and no event source.
//
// A strike is heard when the hand brakes. In a study of air drumming, peaks of the acceleration had the best timing: they came
// shortly before the intended beat, at every tempo, but the turn of the hand came after it (L. Dahl, Triggering Sounds from
// Discrete Air Gestures, NIME 2014). The recogniser therefore integrates the acceleration to the speed of the hand, and reports a
// strike on the first sample on which the hand brakes hard. The strength is the largest speed before, as in a drum, so it is
// known without waiting for the peak. Two steps bound the drift of the integration: a leak, and a zero-velocity update when the
// device is quiet (E. Foxlin, Pedestrian Tracking with Shoe-Mounted Inertial Sensors, IEEE CG&A 25/6, 2005). The direction of
// gravity comes from a complementary filter of gyroscope and accelerometer (R. Mahony et al., Nonlinear Complementary Filters on
// the Special Orthogonal Group, IEEE TAC 53/5, 2008). The fields and axes of a sample are those of the event `devicemotion`
// (W3C Device Orientation and Motion, section DeviceMotionEvent).

import { StrikeDetector } from "./strike.js"
import { cross, dot, length, plus, scaled, unit, vector } from "./vector.js"
import { WaveDetector } from "./wave.js"

const GRAVITY = 9.80665
/** After a gap of this length, in seconds, the recogniser starts again. */
const GAP = 0.3
/** Nothing is recognised for this time after a start, in seconds, until the direction of gravity is known. */
const SETTLING = 0.25
/** Time constants of the direction of gravity in seconds: with linear acceleration, with a gyroscope, with neither. */
const [GIVEN, TURNED, LONE] = [0.05, 1, 0.1]
/** An acceleration is that of gravity alone if its length has differed by at most this much in m/s^2 for this time in seconds. */
const [CALM, CALM_TIME] = [1, 0.06]
/** The acceleration in m/s^2 and the rate in rad/s of the largest activity, and those of sensor noise. */
const ACTIVITY = { push: 15, turn: 8, noise: 0.6, turnNoise: 0.2 }

/** The length of `v` above a level of noise, as a share of the largest one. */
const share = (v, noise, largest) => Math.max(0, length(v) - noise) / largest

export class MotionRecognizer {
  /** Multiplies the strength of strikes and waves. */
  sensitivity = 1
  #time
  #started
  /** The measured gravity in the axes of the device, in m/s^2. It points up, or down on devices with the opposite sign. */
  #gravity
  #neutral
  /** How long the length of the acceleration has been that of gravity, in seconds. */
  #calm = 0
  #strikes = new StrikeDetector()
  #waves = new WaveDetector()

  /** Makes the present position of the device the middle of the tilt. */
  center() {
    this.#neutral = this.#gravity && unit(this.#gravity)
  }

  /**
   * Adds a sample: an event `devicemotion`, or an object with its fields. All vectors and their numbers may be missing. Returns
   * undefined for a sample without an acceleration, otherwise
   * - `strike`: the strength of a strike or of a turn of a shake, 0...1; undefined if there is none at this sample,
   * - `wave`: {strength, direction} of a wave, 0...1 and -1 (left) or 1 (right); undefined if there is none at this sample,
   * - `waving`: how much the device is waved, 0...1,
   * - `tilt`: {sideways, forward} relative to the neutral position in radians, right and away from the player are positive;
   *   undefined if the device does not measure gravity,
   * - `activity`: the movement at this sample, 0...1, without smoothing and without the sensitivity.
   */
  add({ timeStamp, acceleration, accelerationIncludingGravity, rotationRate }) {
    const total = vector(accelerationIncludingGravity)
    const given = vector(acceleration)
    if (!total && !given) return undefined
    const turn = rotation(rotationRate)
    const seconds = (timeStamp - this.#time) / 1000
    this.#time = timeStamp
    if (!(seconds > 0 && seconds < GAP)) {
      // A second event with the same time stamp has no duration.
      if (seconds === 0) return undefined
      this.#restart(total, given)
    }
    const elapsed = seconds > 0 && seconds < GAP ? seconds : 0
    this.#followGravity(total, given, turn, elapsed)
    const push = given ?? plus(total, this.#gravity, -1)
    // Without linear acceleration and gyroscope, a turn looks like a push. Only a push changes the length of the vector.
    const isProven = given || turn ? undefined : Math.abs(length(total) - GRAVITY)
    const isSettled = timeStamp - this.#started >= SETTLING * 1000
    const strike = this.#strikes.add(push, elapsed, this.sensitivity, isProven)
    const swing = this.#waves.add(turn, strike, this.#strikes, elapsed, this.sensitivity)
    const wave = swing && { strength: swing.strength, direction: this.#side(swing.axis, turn !== undefined) }
    const activity = Math.max(
      share(push, ACTIVITY.noise, ACTIVITY.push), turn ? share(turn, ACTIVITY.turnNoise, ACTIVITY.turn) : 0)
    return {
      strike: isSettled ? strike?.strength : undefined, wave: isSettled ? wave : undefined, waving: this.#waves.level,
      tilt: this.#tilt(), activity: Math.min(1, activity),
    }
  }

  #restart(total, given) {
    this.#started = this.#time
    this.#gravity = total && (given ? plus(total, given, -1) : total)
    this.#neutral ??= this.#gravity && unit(this.#gravity)
    this.#strikes = new StrikeDetector()
    this.#waves = new WaveDetector()
  }

  #followGravity(total, given, turn, elapsed) {
    if (!total) return
    this.#gravity ??= total
    this.#neutral ??= unit(this.#gravity)
    // A vector that is fixed to the earth turns against the device.
    if (turn) this.#gravity = plus(this.#gravity, cross(this.#gravity, turn), elapsed)
    const measured = given ? plus(total, given, -1) : total
    let weight = elapsed / (elapsed + (given ? GIVEN : turn ? TURNED : LONE))
    // While the device is accelerated, its accelerometer does not show the direction of gravity.
    this.#calm = Math.abs(length(total) - GRAVITY) > CALM ? 0 : this.#calm + elapsed
    if (!given && this.#calm < CALM_TIME) weight *= 0.1
    this.#gravity = plus(scaled(this.#gravity, 1 - weight), measured, weight)
  }

  /**
   * The angles between the neutral and the present direction of gravity: about the axis to the player, and about the axis from left
   * to right. The axes follow from the neutral position, so the player may hold the device in any way.
   */
  #tilt() {
    if (!this.#gravity || !this.#neutral) return undefined
    const up = unit(this.#gravity)
    // From left to right: the short edge of the device, or the long one if the device stands on its short edge.
    const edge = Math.abs(this.#neutral[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]
    const right = unit(plus(edge, this.#neutral, -dot(edge, this.#neutral)))
    const ahead = cross(this.#neutral, right)
    const height = dot(up, this.#neutral)
    return { sideways: Math.atan2(-dot(up, right), height), forward: Math.atan2(-dot(up, ahead), height) }
  }

  /** Whether a wave goes to the right, 1, or to the left, -1. */
  #side(axis, isTurn) {
    if (!isTurn) return axis[0] < 0 ? -1 : 1
    // Clockwise, as seen from above; or about the long edge of the device.
    const up = this.#gravity ? -dot(axis, unit(this.#gravity)) : 0
    return (Math.abs(up) > Math.abs(axis[1]) ? up : axis[1]) < 0 ? -1 : 1
  }
}

/** The rate of rotation about the three axes of the device in rad/s; undefined if it is not measured. */
function rotation(rate) {
  const degrees = rate && vector({ x: rate.alpha, y: rate.beta, z: rate.gamma })
  return degrees && scaled(degrees, Math.PI / 180)
}
