// Simulates the motion sensors of a phone in a moving hand. The samples have the fields of the event `devicemotion`. Random numbers come
// from a seed.

import { cross, dot, plus, scaled, unit } from "../../../Sources/Console/Page/vector.js"

const GRAVITY = 9.80665
/** The time in seconds over which the sensors average. */
const BANDWIDTH = 0.008
/** The number of instants within BANDWIDTH from which the average is computed. */
const POINTS = 8

/** Returns a generator of random numbers from 0 to 1 (Mulberry32). */
export function generator(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}

/** A random number with the standard normal distribution (Box and Muller). */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** A random direction, as a vector of length one. */
export function direction(random) {
  const numbers = [normal(random), normal(random), normal(random)]
  return unit(numbers)
}

/** Rotates a vector about an axis by an angle in rad (formula of Rodrigues). */
function turned(vector, axis, angle) {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  return plus(plus(scaled(vector, cosine), cross(axis, vector), sine), axis, dot(axis, vector) * (1 - cosine))
}

/** Half a sine wave that begins at `from` and has a duration in seconds and a height; 0 before and after. */
const pulse = (time, from, duration, height) => (
  time < from || time >= from + duration ? 0 : height * Math.sin((Math.PI * (time - from)) / duration))

/**
 * A strike: returns the acceleration in m/s^2 as a function of the time. The hand accelerates for 120 ms to `speed` in m/s, brakes from
 * `moment` on for `stop` seconds, and then returns slowly if `returns` is true.
 */
export function strike(moment, speed, { stop = 0.04, returns = true } = {}) {
  // The durations of the acceleration and of the return in seconds, and the distance that the hand moves in m.
  const [push, back] = [0.12, 0.4]
  const way = speed * (push + stop) / 2
  return (time) => {
    // Half a sine wave of this height and duration changes the speed by `speed`.
    const height = (duration) => (speed * Math.PI) / 2 / duration
    const forth = pulse(time, moment - push, push, height(push)) - pulse(time, moment, stop, height(stop))
    // After a rest of 60 ms, the acceleration of the return is a full sine wave. Its height moves the hand back by `way`.
    const since = time - moment - stop - 0.06
    const isBack = returns && since >= 0 && since < back
    return forth - (isBack ? ((2 * Math.PI * way) / back ** 2) * Math.sin((2 * Math.PI * since) / back) : 0)
  }
}

/**
 * A shake: returns the acceleration in m/s^2 as a function of the time. From `moment` on, the hand makes `turns` movements, alternately in
 * opposite directions, and brakes at the end of each movement. `speed` is the largest speed of the hand in m/s.
 */
export function shake(moment, turnsPerSecond, speed, turns) {
  const rate = Math.PI * turnsPerSecond
  return (time) => {
    const since = time - moment
    return since < 0 || since > turns / turnsPerSecond ? 0 : speed * rate * Math.cos(rate * since)
  }
}

/** The acceleration in m/s^2 of a hand while the player walks slowly: 1.7 steps per second, with jolts of the heels. */
export function walk(time) {
  const phase = (time * 1.7) % 1
  const sway = 1.6 * Math.sin(2 * Math.PI * 1.7 * time) + 0.6 * Math.sin(2 * Math.PI * 3.4 * time + 1)
  return sway + pulse(phase / 1.7, 0.1, 0.03, 2.5)
}

/** A turn: returns the angle in rad as a function of the time. From `moment` on, the device turns smoothly by `size` rad in `seconds`. */
export const swing = (moment, seconds, size) => (time) => {
  const share = Math.min(Math.max((time - moment) / seconds, 0), 1)
  return size * (share - Math.sin(2 * Math.PI * share) / 2 / Math.PI)
}

/** A simulated device, held in a random position and moved in a random direction. */
export class Device {
  /**
   * @param options `rate`: samples per second. `lacks`: the sensors that the device does not have, of `acceleration`, `gravity` and
   * `rotation`. `noise` and `turnNoise`: the standard deviations of the noise in m/s^2 and rad/s. `jitter`: the random part of the instant
   * of a sample, as a fraction of the time between two samples.
   */
  constructor({ rate, seed = 1, lacks = [], noise = 0.12, turnNoise = 0.015, jitter = 0.1 }) {
    Object.assign(this, { rate, lacks, noise, turnNoise, jitter, random: generator(seed) })
    // These directions are in the axes that the device has at the angle 0.
    /** The upward direction. */
    this.up = direction(this.random)
    /** The direction in which the hand moves, and the axis about which the device turns. */
    this.moveAxis = direction(this.random)
    this.turnAxis = direction(this.random)
  }

  /**
   * Generates the samples of a number of seconds. `push` returns the acceleration in m/s^2 along `moveAxis`. `angle` returns the angle in
   * rad by which the device has turned about `turnAxis`. Both are functions of the time in seconds.
   */
  * samples(seconds, { push = () => 0, angle = () => 0 } = {}) {
    const phase = this.random()
    const noisy = (vector, level) => vector.map((number) => number + level * normal(this.random))
    for (let n = 0; n < seconds * this.rate; n += 1) {
      const time = (n + phase + this.jitter * (this.random() - 0.5)) / this.rate
      let linear = [0, 0, 0]
      for (let point = 0; point < POINTS; point += 1) {
        const at = time - (BANDWIDTH * (point + 0.5)) / POINTS
        linear = plus(linear, turned(this.moveAxis, this.turnAxis, -angle(at)), push(at) / POINTS)
      }
      linear = noisy(linear, this.noise)
      const gravity = scaled(turned(this.up, this.turnAxis, -angle(time)), GRAVITY)
      const rate = (angle(time) - angle(time - BANDWIDTH)) / BANDWIDTH
      const turn = noisy(scaled(this.turnAxis, rate), this.turnNoise).map((number) => (number * 180) / Math.PI)
      const fields = (vector) => ({ x: vector[0], y: vector[1], z: vector[2] })
      const has = (name) => !this.lacks.includes(name)
      yield {
        timeStamp: time * 1000, interval: 1000 / this.rate,
        acceleration: has("acceleration") ? fields(linear) : { x: null, y: null, z: null },
        accelerationIncludingGravity: has("gravity") ? fields(plus(linear, gravity)) : null,
        rotationRate: has("rotation") ? { alpha: turn[0], beta: turn[1], gamma: turn[2] } : null,
      }
    }
  }
}
