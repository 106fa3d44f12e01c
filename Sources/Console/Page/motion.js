// Recognises strikes, shakes, waves and tilt from the samples of motion sensors. The caller passes the samples with their time stamps.
//
// A strike is reported when the hand brakes. In a study of air drumming, peaks of the acceleration had the best timing: at every tempo,
// they came shortly before the intended beat, whereas the hand turned back after the beat (L. Dahl, Triggering Sounds from Discrete Air
// Gestures, NIME 2014). The recogniser therefore integrates the acceleration to the speed of the hand, and reports a strike at the first
// sample at which the hand brakes hard. The strength follows from the largest speed before this sample, as on a real drum. Thus the
// strength is known without waiting for the peak of the acceleration.
//
// Two steps limit the drift of the integration: a leak, and a zero-velocity update when the device is quiet (E. Foxlin, Pedestrian
// Tracking with Shoe-Mounted Inertial Sensors, IEEE CG&A 25/6, 2005). The direction of gravity comes from a complementary filter of
// gyroscope and accelerometer (R. Mahony et al., Nonlinear Complementary Filters on the Special Orthogonal Group, IEEE TAC 53/5, 2008).
// The fields and axes of a sample are those of the event `devicemotion` (W3C Device Orientation and Motion, section DeviceMotionEvent).

import { StrikeDetector } from "./strike.js"
import { cross, dot, length, plus, scaled, unit, vector } from "./vector.js"
import { WaveDetector } from "./wave.js"

/** Standard gravity in m/s^2. */
const GRAVITY = 9.80665
/** After a gap of this length between two samples, in seconds, the recogniser starts again. */
const GAP = 0.3
/** Nothing is recognised for this time after a start, in seconds, until the direction of gravity is known. */
const SETTLING = 0.25
/**
 * The time constants in seconds of the filter for the direction of gravity: if the device reports the linear acceleration (the acceleration
 * without gravity), if it does not report it but has a gyroscope, and if it has neither.
 */
const [GIVEN, TURNED, LONE] = [0.05, 1, 0.1]
/**
 * The acceleration counts as gravity alone if, for CALM_TIME seconds, its length has differed from that of gravity by at most CALM m/s^2.
 */
const [CALM, CALM_TIME] = [1, 0.06]
/** The acceleration in m/s^2 (`push`) and the rate of rotation in rad/s (`turn`) that count as the largest activity, and their noise. */
const ACTIVITY = { push: 15, turn: 8, noise: 0.6, turnNoise: 0.2 }

/** The length of `v` above the level of noise, as a share of the length `largest`. */
const share = (v, noise, largest) => Math.max(0, length(v) - noise) / largest

/** Recognises movements in a sequence of samples. */
export class MotionRecognizer {
  /** Multiplies the strength of strikes and waves. */
  sensitivity = 1
  /** The time stamps of the newest sample and of the last start, in milliseconds. */
  #time
  #started
  /** The measured gravity in the axes of the device, in m/s^2. It points up, or down on devices with the opposite sign. */
  #gravity
  /** The direction of gravity in the neutral position, the middle of the tilt. */
  #neutral
  /** How long the length of the acceleration has been that of gravity, in seconds. */
  #calm = 0
  #strikes = new StrikeDetector()
  #waves = new WaveDetector()

  /** Makes the present position of the device the neutral position. */
  center() {
    this.#neutral = this.#gravity && unit(this.#gravity)
  }

  /**
   * Adds a sample: an event `devicemotion`, or an object with its fields. Each vector and each of its numbers may be missing. Returns
   * undefined for a sample without an acceleration, otherwise an object with these fields:
   * - `strike`: the strength of a strike, or of one turning point of a shake, 0...1; undefined if none is recognised at this sample,
   * - `wave`: {strength, direction} of a wave: 0...1, and -1 (left) or 1 (right); undefined if none is recognised at this sample,
   * - `waving`: how much the device is waved, 0...1,
   * - `tilt`: {sideways, forward}, the angles from the neutral position in radians. Tilts to the right and away from the player are
   *   positive. Undefined if the device does not measure gravity,
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
      // A second event with the same time stamp has no duration and is ignored.
      if (seconds === 0) return undefined
      this.#restart(total, given)
    }
    const elapsed = seconds > 0 && seconds < GAP ? seconds : 0
    this.#followGravity(total, given, turn, elapsed)
    const push = given ?? plus(total, this.#gravity, -1)
    // With an accelerometer only, a rotation of the device looks like a push. But only a push changes the length of the acceleration.
    const proof = given || turn ? undefined : Math.abs(length(total) - GRAVITY)
    const isSettled = timeStamp - this.#started >= SETTLING * 1000
    const strike = this.#strikes.add(push, elapsed, this.sensitivity, proof)
    const swing = this.#waves.add(turn, strike, this.#strikes, elapsed, this.sensitivity)
    const wave = swing && { strength: swing.strength, direction: this.#side(swing.axis, turn !== undefined) }
    const activity = Math.max(
      share(push, ACTIVITY.noise, ACTIVITY.push), turn ? share(turn, ACTIVITY.turnNoise, ACTIVITY.turn) : 0)
    return {
      strike: isSettled ? strike?.strength : undefined, wave: isSettled ? wave : undefined, waving: this.#waves.level,
      tilt: this.#tilt(), activity: Math.min(1, activity),
    }
  }

  /** Starts again, with the first sample or after a gap. */
  #restart(total, given) {
    this.#started = this.#time
    this.#gravity = total && (given ? plus(total, given, -1) : total)
    this.#neutral ??= this.#gravity && unit(this.#gravity)
    this.#strikes = new StrikeDetector()
    this.#waves = new WaveDetector()
  }

  /** Updates the direction of gravity. `total` is the acceleration with gravity, `given` the linear acceleration, `turn` the rotation. */
  #followGravity(total, given, turn, elapsed) {
    if (!total) return
    this.#gravity ??= total
    this.#neutral ??= unit(this.#gravity)
    // In the axes of the device, gravity rotates in the opposite direction to the device.
    if (turn) this.#gravity = plus(this.#gravity, cross(this.#gravity, turn), elapsed)
    const measured = given ? plus(total, given, -1) : total
    let weight = elapsed / (elapsed + (given ? GIVEN : turn ? TURNED : LONE))
    // While the device is accelerated, the accelerometer does not show the direction of gravity, so its sample gets less weight.
    this.#calm = Math.abs(length(total) - GRAVITY) > CALM ? 0 : this.#calm + elapsed
    if (!given && this.#calm < CALM_TIME) weight *= 0.1
    this.#gravity = plus(scaled(this.#gravity, 1 - weight), measured, weight)
  }

  /**
   * The angles between the neutral and the present direction of gravity: `sideways` about the axis that points to the player, `forward`
   * about the axis from left to right. The axes follow from the neutral position, so the player may hold the device in any way.
   */
  #tilt() {
    if (!this.#gravity || !this.#neutral) return undefined
    const up = unit(this.#gravity)
    // The axis from left to right: the short edge of the device, or the long edge if the short edge is nearly vertical.
    const edge = Math.abs(this.#neutral[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]
    const right = unit(plus(edge, this.#neutral, -dot(edge, this.#neutral)))
    const ahead = cross(this.#neutral, right)
    const height = dot(up, this.#neutral)
    return { sideways: Math.atan2(-dot(up, right), height), forward: Math.atan2(-dot(up, ahead), height) }
  }

  /**
   * The direction of a wave: 1 to the right, -1 to the left. `axis` is the axis of the rotation. Without a gyroscope (`isTurn` is false),
   * `axis` is the direction of a strike.
   */
  #side(axis, isTurn) {
    if (!isTurn) return axis[0] < 0 ? -1 : 1
    // A clockwise turn about the vertical axis, as seen from above, is to the right. If the device turns more about its long edge, the
    // sense of this turn decides.
    const up = this.#gravity ? -dot(axis, unit(this.#gravity)) : 0
    return (Math.abs(up) > Math.abs(axis[1]) ? up : axis[1]) < 0 ? -1 : 1
  }
}

/** The rate of rotation about the three axes of the device in rad/s; undefined if it is not measured. */
function rotation(rate) {
  const degrees = rate && vector({ x: rate.alpha, y: rate.beta, z: rate.gamma })
  return degrees && scaled(degrees, Math.PI / 180)
}
