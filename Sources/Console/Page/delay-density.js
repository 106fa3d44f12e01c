// The port of DelayDensity of the Swift module ClockSync (clock.js). Residuals are in nanoseconds, moments in seconds.

/** The lower bound of the variance of the noise, in square nanoseconds. */
export const MINIMUM_VARIANCE = 250_000

/** The number of bins of the histogram of DelayDensity, and the position of the residual 0 in bins. */
const BIN_COUNT = 128
const BIN_ORIGIN = 48
/** The interquartile range for which the width of the bins is chosen, in bins. */
const NORMAL_SPREAD = 11

function isPossibleSpread(spread) {
  return spread >= 7 && spread <= 16
}

/** The density of the delays of packets, and the correction that each delay gives to an estimate. */
export class DelayDensity {
  #counts = new Float64Array(BIN_COUNT)
  #scores = new Float64Array(BIN_COUNT)
  #width = 1
  #total = 0
  /** The packets since the score was learned: in and outside of the histogram. */
  #inside = 0
  #outside = 0
  #learningTime = 0
  #slope = 0
  /** The variance of the correction by one packet; undefined if nothing has been learned. */
  variance
  /** Whether the residuals no longer fit into the histogram. */
  hasChanged = false

  removeAll() {
    this.#begin(1, 0)
  }

  /** Learns the density from an array of residuals. */
  learn(residuals, scale, moment) {
    let width = (scale * 1.35) / NORMAL_SPREAD
    for (let attempt = 0; attempt < 6; attempt += 1) {
      this.#begin(width, moment)
      for (const residual of residuals) this.#addToHistogram(residual)
      const spread = this.#spread
      if (isPossibleSpread(spread)) break
      width *= Math.min(Math.max(spread / NORMAL_SPREAD, 0.25), 4)
    }
    this.#learn(moment)
  }

  /** Adds a residual, and learns the score again after a hundred residuals. */
  add(residual, moment) {
    this.#addToHistogram(residual)
    if (this.#inside + this.#outside < 100) return
    this.hasChanged = this.#outside > (1 / 3) * 100
    const spread = this.#spread
    if (!isPossibleSpread(spread)) this.#changeWidth(Math.min(Math.max(spread / NORMAL_SPREAD, 0.25), 4))
    this.#learn(moment)
  }

  /** The correction by a packet, in the direction of the residual. */
  correction(residual) {
    const position = residual / this.#width + BIN_ORIGIN
    if (!(position >= 0)) return this.#scores[0] / this.#slope
    if (!(position < BIN_COUNT - 1)) return this.#scores[BIN_COUNT - 1] / this.#slope
    const bin = Math.floor(position)
    const share = position - bin
    return (this.#scores[bin] * (1 - share) + this.#scores[bin + 1] * share) / this.#slope
  }

  #begin(width, moment) {
    this.#counts.fill(0)
    this.#width = Math.max(width, 1)
    this.#total = 0
    this.#inside = 0
    this.#outside = 0
    this.#learningTime = moment
    this.#slope = 0
    this.variance = undefined
    this.hasChanged = false
  }

  #addToHistogram(residual) {
    if (this.#count(residual / this.#width + BIN_ORIGIN, 1)) this.#inside += 1
    else this.#outside += 1
  }

  /** Counts packets at a position in bins. Returns whether the position is in the histogram. */
  #count(position, weight) {
    if (!(position >= 0 && position < BIN_COUNT - 1)) return false
    const bin = Math.floor(position)
    const share = position - bin
    this.#counts[bin] += weight * (1 - share)
    this.#counts[bin + 1] += weight * share
    this.#total += weight
    return true
  }

  /** Multiplies the width of the bins, and distributes the packets of each bin evenly over the place that it had. */
  #changeWidth(factor) {
    const old = this.#counts.slice()
    this.#counts.fill(0)
    this.#width *= factor
    this.#total = 0
    for (let n = 0; n < BIN_COUNT; n += 1) {
      if (!(old[n] > 0)) continue
      for (let part = 0; part < 8; part += 1) {
        const place = n + (part - 3.5) / 8
        this.#count((place - BIN_ORIGIN) / factor + BIN_ORIGIN, old[n] / 8)
      }
    }
  }

  get #spread() {
    return this.#quantile(0.75) - this.#quantile(0.25)
  }

  #quantile(fraction) {
    let remaining = fraction * this.#total
    for (let n = 0; n < BIN_COUNT; n += 1) {
      if (remaining <= this.#counts[n]) return n + (this.#counts[n] > 0 ? remaining / this.#counts[n] : 0)
      remaining -= this.#counts[n]
    }
    return BIN_COUNT
  }

  #learn(moment) {
    const age = Math.max(0, moment - this.#learningTime)
    const kept = (Math.min(1, 1500 / Math.max(this.#total, 1)) * 60) / (60 + age)
    this.#learningTime = moment
    this.#inside = 0
    this.#outside = 0
    this.#total *= kept
    const [counts, scores, total] = [this.#counts, this.#scores, this.#total]
    for (let n = 0; n < BIN_COUNT; n += 1) counts[n] *= kept
    // The kernel becomes narrower with the number of packets, and is narrower below the mode.
    const radius = total < 200 ? 4 : total < 1000 ? 3 : 2
    const [wide, narrow] = [smoothed(counts, radius), smoothed(counts, radius - 1)]
    let mode = 0
    for (let n = 1; n < BIN_COUNT; n += 1) if (wide[n] > wide[mode]) mode = n
    for (let n = mode; n < BIN_COUNT; n += 1) scores[n] = scoreOf(wide, n)
    let least = Infinity
    for (let n = mode; n >= 0; n -= 1) {
      least = Math.min(least, scoreOf(narrow, n))
      scores[n] = least
    }
    let [mean, square, rise] = [0, 0, 0]
    for (let n = 0; n < BIN_COUNT; n += 1) mean += counts[n] * scores[n]
    mean /= Math.max(total, 1e-9)
    for (let n = 0; n < BIN_COUNT; n += 1) {
      scores[n] -= mean
      square += counts[n] * scores[n] * scores[n]
    }
    for (let n = 1; n < BIN_COUNT - 1; n += 1) rise += (counts[n] * (scores[n + 1] - scores[n - 1])) / 2
    this.#slope = rise / (total * this.#width)
    const error = ((square * (total + 15)) / (rise * rise)) * this.#width * this.#width
    this.variance = rise > 0 ? Math.max(error, MINIMUM_VARIANCE) : undefined
  }
}

/** The score of a density at a bin: the negative derivative of its logarithm. */
function scoreOf(density, bin) {
  const before = bin > 0 ? density[bin - 1] : 0
  const after = bin + 1 < BIN_COUNT ? density[bin + 1] : 0
  return (before - after) / 2 / (density[bin] + 0.1)
}

/** The histogram, smoothed by three moving averages over 2 * radius + 1 bins. */
function smoothed(histogram, radius) {
  let source = histogram
  for (let pass = 0; pass < 3; pass += 1) {
    const result = new Float64Array(BIN_COUNT)
    let sum = 0
    for (let n = -radius; n < BIN_COUNT; n += 1) {
      if (n + radius < BIN_COUNT) sum += source[n + radius]
      if (n > radius) sum -= source[n - radius - 1]
      if (n >= 0) result[n] = sum / (2 * radius + 1)
    }
    source = result
  }
  return source
}
