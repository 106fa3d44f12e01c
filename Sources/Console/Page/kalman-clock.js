// The port of KalmanClock of the Swift module ClockSync (clock.js). Differences are in nanoseconds, moments in seconds.

import { DelayDensity, MINIMUM_VARIANCE } from "./delay-density.js"

/** The standard deviation of the skew before the first packet, in nanoseconds per second. */
export const INITIAL_SKEW_DEVIATION = 50_000

/** What KalmanClock knows about the errors of its predictions in one direction. */
class DirectionNoise {
  #count = 0
  /** The number of consecutive outliers with the same sign; negative if their errors are negative. */
  #outliers = 0
  /** The moment of the first of these outliers. */
  #outliersSince = 0
  /** The number and the sum of the corrections since beginCorrections. */
  corrections = 0
  #correctionSum = 0

  constructor(variance) {
    this.variance = variance
  }

  countOutliers(error, limit, moment) {
    if (Math.abs(error) <= limit) {
      this.#outliers = 0
      return
    }
    if (this.#outliers === 0 || this.#outliers > 0 !== error > 0) {
      this.#outliers = 0
      this.#outliersSince = moment
    }
    this.#outliers += error > 0 ? 1 : -1
  }

  /** Whether the outliers cannot be noise: there are at least 12, and the first one is at least two seconds old. */
  hasPersistentOutliers(moment) {
    return Math.abs(this.#outliers) >= 12 && moment - this.#outliersSince >= 2
  }

  /** Moves the variance towards a new sample of the variance. */
  updateVariance(square) {
    this.#count += 1
    this.variance += (Math.max(square, this.variance / 20) - this.variance) / Math.min(this.#count + 3, 200)
    this.variance = Math.max(this.variance, MINIMUM_VARIANCE)
  }

  forget() {
    this.#count = 0
  }

  beginCorrections() {
    this.corrections = 0
    this.#correctionSum = 0
  }

  addCorrection(correction) {
    this.corrections += 1
    this.#correctionSum += correction
  }

  get meanCorrection() {
    return this.#correctionSum / this.corrections
  }
}

/** The state of KalmanClock: `oo`, `os`, `od`, `ss`, `sd` and `dd` are the covariances of offset (o), skew (s) and delay (d). */
class KalmanState {
  constructor(time, offset, skew, delay, oo, ss, dd) {
    Object.assign(this, { time, offset, skew, delay, oo, os: 0, od: 0, ss, sd: 0, dd })
  }

  copy() {
    return Object.assign(new KalmanState(), this)
  }

  /** Predicts the state and its covariances at a moment. */
  advance(moment, noise) {
    const passed = moment - this.time
    if (!(passed > 0)) return
    this.time = moment
    this.offset += passed * this.skew
    // The random walk of the skew: its variance grows by q per second.
    const q = 130 * 130
    this.oo += passed * (2 * this.os + passed * this.ss) + (q * passed * passed * passed) / 3
    this.os += passed * this.ss + (q * passed * passed) / 2
    this.od += passed * this.sd
    this.ss += q * passed
    this.dd += passed * noise * (1 / 2500)
  }

  /** The predicted difference of a packet, its variance, and its covariances with offset, skew and delay. */
  prediction(isOut, moment) {
    const sign = isOut ? 1 : -1
    const age = moment - this.time
    const ho = this.oo + age * this.os + sign * this.od
    const hs = this.os + age * this.ss + sign * this.sd
    const hd = this.od + age * this.sd + sign * this.dd
    return {
      difference: this.offset + age * this.skew + sign * this.delay, variance: ho + age * hs + sign * hd, ho, hs, hd,
    }
  }

  sufficient(noise) {
    return Math.max(noise, (this.oo + this.dd) * 1e-6)
  }

  /** Corrects the state by the error of a prediction. `noise` is the variance of the noise in the error. */
  correct({ variance, ho, hs, hd }, error, noise) {
    const errorVariance = variance + this.sufficient(noise)
    // The Kalman gain: the share of the error by which each state changes.
    const [ko, ks, kd] = [ho / errorVariance, hs / errorVariance, hd / errorVariance]
    this.offset += ko * error
    this.skew += ks * error
    this.delay += kd * error
    this.oo -= ko * ho
    this.os -= ko * hs
    this.od -= ko * hd
    this.ss -= ks * hs
    this.sd -= ks * hd
    this.dd -= kd * hd
  }

  offsetVariance(moment) {
    const ahead = moment - this.time
    return this.oo + ahead * (2 * this.os + ahead * this.ss)
  }
}

/** The number of packets that KalmanClock keeps at the beginning, and after which it processes them again for the first time. */
const FIRST_PACKETS = 96
const FIRST_REPLAY = 12

/** Estimates the peer's clock from all packets: a Kalman filter whose corrections are those of DelayDensity. */
export class KalmanClock {
  #density = new DelayDensity()
  /** The packets since the beginning or the last change of the network. `sign` is that of the delay in the difference. */
  #packets = []
  #stateBeforePackets
  #nextReplay = FIRST_REPLAY
  /** The moment at which the present mean of the corrections began. */
  #checkTime = 0

  /**
   * Creates the filter from the differences of one outbound and one returning packet. `time` is the moment of the later packet. A filter
   * that is restarted begins with the skew and the variance of the skew of the old one.
   */
  constructor(first, second, time, skew = 0, skewVariance = 0) {
    const [offset, delay] = [(first + second) / 2, (first - second) / 2]
    const variance = Math.max((delay * delay) / 4, MINIMUM_VARIANCE)
    const limit = INITIAL_SKEW_DEVIATION
    this.state = new KalmanState(
      time, offset, Math.min(Math.max(skew, -limit), limit), delay, variance, Math.max(skewVariance, limit * limit),
      variance,
    )
    this.out = new DirectionNoise(variance)
    this.back = new DirectionNoise(variance)
    this.#beginLearning()
    this.#packets.push({ difference: first, moment: time, isOut: true, sign: 1 })
    this.#packets.push({ difference: second, moment: time, isOut: false, sign: -1 })
  }

  restarted(first, second, time) {
    return new KalmanClock(first, second, time, this.state.skew, this.state.ss)
  }

  get hasPersistentOutliers() {
    return this.out.hasPersistentOutliers(this.state.time) || this.back.hasPersistentOutliers(this.state.time)
  }

  get #leastNoise() {
    return Math.min(this.out.variance, this.back.variance)
  }

  /** Updates the state with the difference of a packet. */
  add(difference, isOut, moment) {
    const sign = isOut ? 1 : -1
    this.state.advance(moment, this.#leastNoise)
    const prediction = this.state.prediction(isOut, moment)
    const direction = isOut ? this.out : this.back
    const error = difference - prediction.difference
    const noise = direction.variance
    const limit = 3 * Math.sqrt(prediction.variance + this.state.sufficient(noise))
    const clipped = Math.min(Math.max(error, -limit), limit)
    direction.countOutliers(error, limit, moment)
    direction.updateVariance(1.03 * clipped * clipped - prediction.variance)
    if (this.#packets.length < FIRST_PACKETS) {
      this.#packets.push({ difference, moment, isOut, sign })
      if (this.#packets.length === this.#nextReplay) return this.#replay()
    }
    const learnedNoise = this.#density.variance
    if (learnedNoise === undefined || !(prediction.variance < learnedNoise)) {
      return this.state.correct(prediction, clipped, noise)
    }
    const correction = sign * this.#density.correction(sign * error)
    this.state.correct(prediction, correction, learnedNoise)
    direction.addCorrection(correction)
    this.#checkCorrections(learnedNoise)
    this.#density.add(sign * error, moment)
    if (this.#density.hasChanged) this.#beginLearning()
  }

  #beginLearning() {
    this.#density.removeAll()
    this.#stateBeforePackets = this.state.copy()
    this.#packets = []
    this.#nextReplay = FIRST_REPLAY
    this.out.forget()
    this.back.forget()
    this.#beginCheck()
  }

  /** Learns the density from the kept packets, and processes them again with it. */
  #replay() {
    this.#nextReplay *= 2
    const line = this.state.copy()
    const count = this.#packets.length
    const residual = ({ difference, moment, sign }) =>
      sign * (difference - line.offset - (moment - line.time) * line.skew) - line.delay
    let shift = 0
    for (const packet of this.#packets) shift += residual(packet) / count
    line.delay += shift
    let scale = 0
    for (const packet of this.#packets) scale += Math.abs(residual(packet)) / count
    this.#density.learn(this.#packets.map(residual), scale, line.time)
    const noise = this.#density.variance
    if (noise === undefined) return
    this.state = this.#stateBeforePackets.copy()
    this.state.dd += shift * shift
    for (const packet of this.#packets) {
      this.state.advance(packet.moment, this.#leastNoise)
      const prediction = this.state.prediction(packet.isOut, packet.moment)
      const delay = residual(packet)
      const corrected = packet.difference + packet.sign * (this.#density.correction(delay) - delay)
      this.state.correct(prediction, corrected - prediction.difference, noise)
    }
    this.state.advance(line.time, this.#leastNoise)
  }

  #beginCheck() {
    this.#checkTime = this.state.time
    this.out.beginCorrections()
    this.back.beginCorrections()
  }

  /** If the means of the corrections are not zero, the delay has changed, or the state becomes less certain. */
  #checkCorrections(noise) {
    const [out, back] = [this.out, this.back]
    if (Math.min(out.corrections, back.corrections) < 50) return
    const error = (out.meanCorrection + back.meanCorrection) / 2
    const delayError = (out.meanCorrection - back.meanCorrection) / 2
    const limit = (6 * 6 * noise * (1 / out.corrections + 1 / back.corrections)) / 4
    const passed = Math.max(this.state.time - this.#checkTime, 0.1)
    this.#beginCheck()
    if (delayError * delayError > limit + 6 * 6 * this.state.dd) {
      this.#beginLearning()
    } else if (error * error > limit + 6 * 6 * this.state.oo) {
      this.state.oo += error * error
      this.state.ss += (error * error) / (16 * passed * passed)
    }
  }

  get skew() {
    return this.state.skew
  }

  offsetAt(moment) {
    return this.state.offset + (moment - this.state.time) * this.state.skew
  }

  varianceAt(moment) {
    const [a, b] = [Math.sqrt(this.out.variance), Math.sqrt(this.back.variance)]
    // An allowance for asymmetric delay: if the deviation of one direction exceeds 1.5 times that of the opposite direction, half of the
    // excess may be delay in the first direction only.
    const asymmetry = Math.max(0, Math.abs(a - b) - Math.min(a, b) / 2) / 2
    return Math.max(this.state.offsetVariance(moment), 1) + asymmetry * asymmetry
  }
}
