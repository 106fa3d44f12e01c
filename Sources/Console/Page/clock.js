// The estimate of the peer's clock, a port of the Swift module ClockSync. Times are in seconds and differences in nanoseconds, as
// there. The comments there explain the method; the names are the same. Tests/Page/vectors.mjs compares both.

const INITIAL_SKEW_DEVIATION = 50_000
const MINIMUM_VARIANCE = 250_000

/** One direction of KalmanClock. */
class Direction {
  variance = 0
  count = 0
  outliers = 0
  outliersSince = 0

  countOutliers(error, limit, moment) {
    if (Math.abs(error) <= limit) {
      this.outliers = 0
      return
    }
    if (this.outliers === 0 || this.outliers > 0 !== error > 0) {
      this.outliers = 0
      this.outliersSince = moment
    }
    this.outliers += error > 0 ? 1 : -1
  }

  hasPersistentOutliers(moment) {
    return Math.abs(this.outliers) >= 12 && moment - this.outliersSince >= 2
  }

  updateVariance(square) {
    this.count += 1
    this.variance += (Math.max(square, this.variance / 20) - this.variance) / Math.min(this.count + 3, 200)
    this.variance = Math.max(this.variance, MINIMUM_VARIANCE)
  }
}

/** A Kalman filter with the states offset, skew and mean delay. */
class KalmanClock {
  constructor(first, second, time) {
    this.time = time
    this.offset = (first + second) / 2
    this.skew = 0
    this.delay = (first - second) / 2
    this.oo = Math.max((this.delay * this.delay) / 4, MINIMUM_VARIANCE)
    this.os = 0
    this.od = 0
    this.ss = INITIAL_SKEW_DEVIATION * INITIAL_SKEW_DEVIATION
    this.sd = 0
    this.dd = this.oo
    this.out = new Direction()
    this.back = new Direction()
    this.out.variance = this.oo
    this.back.variance = this.oo
  }

  restarted(first, second, time) {
    const next = new KalmanClock(first, second, time)
    next.skew = Math.min(Math.max(this.skew, -INITIAL_SKEW_DEVIATION), INITIAL_SKEW_DEVIATION)
    next.ss = Math.max(this.ss, next.ss)
    return next
  }

  get hasPersistentOutliers() {
    return this.out.hasPersistentOutliers(this.time) || this.back.hasPersistentOutliers(this.time)
  }

  add(difference, isOut, moment) {
    this.advance(moment)
    const sign = isOut ? 1 : -1
    const age = moment - this.time
    const direction = isOut ? this.out : this.back
    const ho = this.oo + age * this.os + sign * this.od
    const hs = this.os + age * this.ss + sign * this.sd
    const hd = this.od + age * this.sd + sign * this.dd
    const predictedVariance = ho + age * hs + sign * hd
    const errorVariance = predictedVariance + Math.max(direction.variance, (this.oo + this.dd) * 1e-6)
    const error = difference - (this.offset + age * this.skew + sign * this.delay)
    const limit = 3 * Math.sqrt(errorVariance)
    const clipped = Math.min(Math.max(error, -limit), limit)
    direction.countOutliers(error, limit, moment)
    direction.updateVariance(1.03 * clipped * clipped - predictedVariance)
    const [ko, ks, kd] = [ho / errorVariance, hs / errorVariance, hd / errorVariance]
    this.offset += ko * clipped
    this.skew += ks * clipped
    this.delay += kd * clipped
    this.oo -= ko * ho
    this.os -= ko * hs
    this.od -= ko * hd
    this.ss -= ks * hs
    this.sd -= ks * hd
    this.dd -= kd * hd
  }

  advance(moment) {
    const passed = moment - this.time
    if (!(passed > 0)) return
    this.time = moment
    this.offset += passed * this.skew
    const q = 130 * 130
    this.oo += passed * (2 * this.os + passed * this.ss) + (q * passed * passed * passed) / 3
    this.os += passed * this.ss + (q * passed * passed) / 2
    this.od += passed * this.sd
    this.ss += q * passed
    this.dd += passed * Math.min(this.out.variance, this.back.variance) * (1 / 2500)
  }

  offsetAt(moment) {
    return this.offset + (moment - this.time) * this.skew
  }

  varianceAt(moment) {
    const ahead = moment - this.time
    const [a, b] = [Math.sqrt(this.out.variance), Math.sqrt(this.back.variance)]
    const asymmetry = Math.max(0, Math.abs(a - b) - Math.min(a, b) / 2) / 2
    return Math.max(this.oo + ahead * (2 * this.os + ahead * this.ss), 1) + asymmetry * asymmetry
  }
}

const SPAN = 15
const BUCKETS = 120
const MAXIMUM_SKEW = 1_000_000
const SKEW_DRIFT = 1000 / 60
const UNKNOWN_VARIANCE = 1e30
const GOLDEN_RATIO = 0.61803398875

const emptyPoint = () => ({ x: -Infinity, y: 0, packets: 0 })
const bucketOf = (moment) => Math.floor(moment * (BUCKETS / SPAN))
const beginningOf = (bucket) => bucket * (SPAN / BUCKETS)
const slotOf = (bucket) => ((bucket % BUCKETS) + BUCKETS) % BUCKETS

/** The estimate from the packets with the least delay. */
class MinimumDelayFilter {
  outbound = Array.from({ length: BUCKETS }, emptyPoint)
  returning = Array.from({ length: BUCKETS }, emptyPoint)
  /** The slots of the corners of each hull, oldest first. */
  outboundHull = []
  returningHull = []
  corners = { outbound: [0, 0], returning: [0, 0] }
  offset = 0
  skew = 0
  halfWidth = Infinity
  time = 0
  variance = UNKNOWN_VARIANCE
  skewVariance = UNKNOWN_VARIANCE

  removeAll() {
    for (let n = 0; n < BUCKETS; n += 1) {
      this.outbound[n] = emptyPoint()
      this.returning[n] = emptyPoint()
    }
    this.halfWidth = Infinity
    this.variance = UNKNOWN_VARIANCE
    this.skewVariance = UNKNOWN_VARIANCE
  }

  add(difference, isOut, moment) {
    const bucket = bucketOf(moment)
    const slot = slotOf(bucket)
    const points = isOut ? this.outbound : this.returning
    const kept = points[slot]
    let packets = 1
    if (beginningOf(bucket + 1) <= kept.x) return
    if (beginningOf(bucket) <= kept.x) {
      packets += kept.packets
      kept.packets = packets
      const rise = difference - kept.y - this.skew * (moment - kept.x)
      if (!(isOut ? rise < 0 : rise > 0)) return
    }
    points[slot] = { x: moment, y: difference, packets }
  }

  fit(moment) {
    const newest = bucketOf(moment)
    const outboundPackets = hull(this.outbound, newest, 1, this.outboundHull)
    const returningPackets = hull(this.returning, newest, -1, this.returningHull)
    const [outboundCount, returningCount] = [this.outboundHull.length, this.returningHull.length]
    if (outboundCount === 0 || returningCount === 0) return false
    this.corners = { outbound: [0, outboundCount], returning: [0, returningCount] }
    this.time = moment
    const flat = this.band(0, this.corners)
    const priorWeight = Math.max(flat.high - flat.low, 1) / (outboundPackets + returningPackets)
    const remaining = { outbound: [0, outboundCount], returning: [0, returningCount] }
    const evaluate = (slope) => {
      const band = this.band(slope, remaining)
      const normalized = slope / INITIAL_SKEW_DEVIATION
      return { width: band.high - band.low - (priorWeight * normalized * normalized) / 2, band }
    }
    let [least, greatest] = [-MAXIMUM_SKEW, MAXIMUM_SKEW]
    let left = greatest - (greatest - least) * GOLDEN_RATIO
    let right = least + (greatest - least) * GOLDEN_RATIO
    let [atLeft, atRight] = [evaluate(left), evaluate(right)]
    for (let n = 0; n < 40; n += 1) {
      if (atLeft.width < atRight.width) {
        // Bands flatter than this one cannot be the widest.
        const { outbound, returning } = remaining
        outbound[0] = Math.min(atLeft.band.highCorner, outbound[1] - 1)
        returning[1] = Math.max(atLeft.band.lowCorner, returning[0]) + 1
        least = left
        left = right
        atLeft = atRight
        right = least + (greatest - least) * GOLDEN_RATIO
        atRight = evaluate(right)
      } else {
        const { outbound, returning } = remaining
        outbound[1] = Math.max(atRight.band.highCorner, outbound[0]) + 1
        returning[0] = Math.min(atRight.band.lowCorner, returning[1] - 1)
        greatest = right
        right = left
        atRight = atLeft
        left = greatest - (greatest - least) * GOLDEN_RATIO
        atLeft = evaluate(left)
      }
    }
    this.skew = (least + greatest) / 2
    const best = this.band(this.skew, remaining)
    this.offset = (best.low + best.high) / 2
    this.halfWidth = Math.max(0, (best.high - best.low) / 2)
    const highError = this.edgeError(this.outbound, best.high, 1, newest)
    const lowError = this.edgeError(this.returning, best.low, -1, newest)
    const curvatureError = (SKEW_DRIFT * SPAN * SPAN) / 12
    this.variance = 16 * (highError * highError + lowError * lowError) + curvatureError * curvatureError
    const last = (points, corners) => points[corners[corners.length - 1]].x
    const end = Math.min(last(this.outbound, this.outboundHull), last(this.returning, this.returningHull))
    const beginning = Math.max(this.outbound[this.outboundHull[0]].x, this.returning[this.returningHull[0]].x)
    const duration = Math.max(end - beginning, SPAN / BUCKETS)
    this.skewVariance = Math.min(
      (3 * this.variance) / (duration * duration), INITIAL_SKEW_DEVIATION * INITIAL_SKEW_DEVIATION)
    return true
  }

  bounds(skew) {
    const band = this.band(skew, this.corners)
    return [band.low, band.high]
  }

  band(slope, corners) {
    const band = { low: -Infinity, high: Infinity, lowCorner: 0, highCorner: 0 }
    for (let n = corners.outbound[0]; n < corners.outbound[1]; n += 1) {
      const point = this.outbound[this.outboundHull[n]]
      const value = point.y - slope * (point.x - this.time)
      if (value < band.high) [band.high, band.highCorner] = [value, n]
    }
    for (let n = corners.returning[0]; n < corners.returning[1]; n += 1) {
      const point = this.returning[this.returningHull[n]]
      const value = point.y - slope * (point.x - this.time)
      if (value > band.low) [band.low, band.lowCorner] = [value, n]
    }
    return band
  }

  edgeError(points, edge, sign, newest) {
    const [first, end] = [beginningOf(newest + 1 - BUCKETS), beginningOf(newest + 1)]
    const distances = points
      .filter((point) => point.x >= first && point.x < end)
      .map((point) => sign * (point.y - this.skew * (point.x - this.time) - edge))
      .sort((a, b) => a - b)
    const count = Math.min(distances.length, 6)
    return count < 2 ? this.halfWidth : distances[count - 1] / (count - 1)
  }

  offsetAt(moment) {
    return this.offset + (moment - this.time) * this.skew
  }

  varianceAt(moment) {
    const age = moment - this.time
    const driftError = SKEW_DRIFT * age * SPAN
    return this.variance + age * age * this.skewVariance + driftError * driftError
  }
}

/** Finds the corners of the convex hull of the points in the window. Returns the number of packets of all points. */
function hull(points, newest, sign, corners) {
  corners.length = 0
  let packets = 0
  const [first, end] = [beginningOf(newest + 1 - BUCKETS), beginningOf(newest + 1)]
  let slot = slotOf(newest)
  for (let n = 0; n < BUCKETS; n += 1) {
    slot = slot + 1 < BUCKETS ? slot + 1 : 0
    const point = points[slot]
    if (!(point.x >= first && point.x < end)) continue
    packets += point.packets
    while (corners.length > 1) {
      const [p, q] = [points[corners[corners.length - 2]], points[corners[corners.length - 1]]]
      const turn = (q.x - p.x) * (point.y - p.y) - (point.x - p.x) * (q.y - p.y)
      if (sign * turn > 0) break
      corners.pop()
    }
    corners.push(slot)
  }
  return packets
}

/** The newest eight packets of one direction. */
class PacketHistory {
  packets = []
  count = 0
  contradictions = 0

  get newest() {
    return this.packets[this.packets.length - 1]
  }

  add(difference, moment) {
    this.packets.push({ moment, difference })
    if (this.packets.length > 8) this.packets.shift()
    this.count += 1
  }

  static consistentExtremes(out, back) {
    if (out.count < 8 || back.count < 8) return undefined
    const now = Math.max(out.newest.moment, back.newest.moment)
    let [lowestOut, highestBack, oldest] = [out.newest, back.newest, now]
    // The order of the ring buffer decides between equal differences.
    for (let n = 0; n < 8; n += 1) {
      const [outbound, returning] = [out.at(n), back.at(n)]
      oldest = Math.min(oldest, outbound.moment, returning.moment)
      if (outbound.difference < lowestOut.difference) lowestOut = outbound
      if (returning.difference > highestBack.difference) highestBack = returning
    }
    const divergence = (now - oldest) * MAXIMUM_DIVERGENCE
    const delay = lowestOut.difference - highestBack.difference
    if (now - oldest > 100 || delay < -divergence || delay > MAXIMUM_DELAY) return undefined
    return [lowestOut, highestBack]
  }

  /** The packet at an index of the ring buffer of eight packets. */
  at(index) {
    return this.packets[(((index - this.count) % 8) + 8) % 8]
  }
}

const MAXIMUM_DELAY = 10e9
const MAXIMUM_DIVERGENCE = 100_000
const STAMP_ERROR = 20_000

/** Rounds to the nearest integer, ties away from zero, as in Swift. */
function rounded(value) {
  const limited = Math.min(Math.max(value, -4e18), 4e18)
  return Math.sign(limited) * Math.round(Math.abs(limited))
}

function weightOf(kalmanVariance, filterVariance) {
  const ratio = kalmanVariance / filterVariance
  return 1 / (1 + ratio * ratio)
}

/**
 * Estimates the offset and the skew of the peer's clock. All instants are BigInt nanoseconds, so that no precision is lost.
 */
export class RemoteClock {
  count = 0
  rejected = 0
  resets = 0
  #origin
  #kalman
  #filter = new MinimumDelayFilter()
  #fitTime = -Infinity
  #packetsSinceFit = 0
  #packetsSinceStart = 0
  #bounds
  #out = new PacketHistory()
  #back = new PacketHistory()
  #newestTime = -Infinity
  #startTime = Infinity
  #skew = 0

  get isSettled() {
    return this.count >= 8 || this.#newestTime - this.#startTime >= 0.5
  }

  /**
   * Processes one packet: `isOut` from the page to the peer, `sent` and `received` by the clocks of its sender and receiver,
   * `resolution` of the coarser clock in nanoseconds (Number), `now` by the page's clock.
   */
  add(isOut, sent, received, resolution, now) {
    const [local, remote] = isOut ? [sent, received] : [received, sent]
    if (!isPlausible(sent, received, resolution, local, now)) {
      this.rejected += 1
      return
    }
    if (
      this.#origin && Number.isFinite(this.#newestTime)
      && Number(local - this.#origin.instant) / 1e9 > this.#newestTime + 600
    ) {
      this.#reset()
    }
    this.#origin ??= { instant: local, difference: remote - local }
    const moment = Number(local - this.#origin.instant) / 1e9
    const difference = Number(remote - local - this.#origin.difference)
    const history = isOut ? this.#out : this.#back
    history.add(difference, moment)
    if (!this.#kalman) return this.#start()
    if (this.#contradicts(difference, isOut, moment, 2 * resolution)) {
      this.rejected += 1
      history.contradictions += 1
      if (Math.max(this.#out.contradictions, this.#back.contradictions) >= 8) this.#resetIfConsistent()
      return
    }
    history.contradictions = 0
    this.count += 1
    this.#newestTime = Math.max(this.#newestTime, moment)
    this.#kalman.add(difference, isOut, moment)
    this.#filter.add(difference, isOut, moment)
    if (this.#kalman.hasPersistentOutliers) this.#resetIfConsistent()
    this.#packetsSinceFit += 1
    this.#packetsSinceStart += 1
    if (!this.#bounds || this.#packetsSinceStart < 16 || this.#isFitDue) this.#fit()
  }

  /** The estimate at a local instant: offset, uncertainty and deviation in nanoseconds (BigInt), skew in ppm; or undefined. */
  estimate(now) {
    if (!this.#origin || !this.#kalman || !this.#bounds) return undefined
    const moment = Number(now - this.#origin.instant) / 1e9
    const kalmanVariance = this.#kalman.varianceAt(moment)
    const filterVariance = this.#filter.varianceAt(moment)
    const weight = weightOf(kalmanVariance, filterVariance)
    const mean = this.#kalman.offsetAt(moment) * weight + this.#filter.offsetAt(moment) * (1 - weight)
    const skew = this.#kalman.skew * weight + this.#filter.skew * (1 - weight)
    const divergence = Math.max(0, moment - this.#fitTime) * MAXIMUM_DIVERGENCE
    const low = this.#bounds[0] + (moment - this.#fitTime) * skew - divergence
    const high = this.#bounds[1] + (moment - this.#fitTime) * skew + divergence
    const offset = Math.min(Math.max(mean, low), high)
    const variance = weight * weight * kalmanVariance + (1 - weight) * (1 - weight) * filterVariance
    return {
      offset: this.#origin.difference + BigInt(rounded(offset)),
      skew: skew / 1000,
      uncertainty: BigInt(rounded(Math.max(offset - low, high - offset))),
      deviation: BigInt(rounded(Math.sqrt(variance))),
    }
  }

  get #isFitDue() {
    const passed = this.#newestTime - this.#fitTime
    if (passed >= 1) return this.#packetsSinceFit >= 2
    return this.#packetsSinceFit >= 8
      && passed >= Math.max(0.05, Math.min(this.#newestTime - this.#startTime, SPAN) * (1 / 60))
  }

  #fit() {
    if (!this.#kalman || !this.#filter.fit(this.#newestTime)) return
    this.#fitTime = this.#newestTime
    this.#packetsSinceFit = 0
    const weight = weightOf(this.#kalman.varianceAt(this.#newestTime), this.#filter.varianceAt(this.#newestTime))
    this.#skew = this.#kalman.skew * weight + this.#filter.skew * (1 - weight)
    const [low, high] = this.#filter.bounds(this.#skew)
    if (low <= high || !this.#bounds) this.#bounds = [Math.min(low, high), Math.max(low, high)]
  }

  #reset() {
    this.count = 0
    this.#origin = undefined
    this.#kalman = undefined
    this.#filter = new MinimumDelayFilter()
    this.#fitTime = -Infinity
    this.#packetsSinceFit = 0
    this.#packetsSinceStart = 0
    this.#bounds = undefined
    this.#out = new PacketHistory()
    this.#back = new PacketHistory()
    this.#newestTime = -Infinity
    this.#startTime = Infinity
    this.#skew = 0
  }

  #start() {
    const [first, second] = [this.#out.newest, this.#back.newest]
    if (!first || !second) return
    const moment = Math.max(first.moment, second.moment)
    const delay = first.difference - second.difference
    if (!(delay >= 0 && delay <= MAXIMUM_DELAY)) {
      this.rejected += 1
      return
    }
    this.#kalman = new KalmanClock(first.difference, second.difference, moment)
    this.#restartFilter(first, second)
    this.#startTime = moment
    this.#newestTime = moment
    this.#packetsSinceStart = 2
    this.#fit()
    this.count = 2
  }

  #restartFilter(out, back) {
    this.#filter.removeAll()
    this.#filter.add(out.difference, true, out.moment)
    this.#filter.add(back.difference, false, back.moment)
  }

  #contradicts(difference, isOut, moment, margin) {
    if (!this.#bounds) return false
    const tolerance =
      STAMP_ERROR + margin + Math.max(0, Math.abs(moment - this.#fitTime) - 0.05) * MAXIMUM_DIVERGENCE
    const [low, high] = this.#bounds
    return isOut
      ? difference < low - tolerance || difference > high + tolerance + MAXIMUM_DELAY
      : difference > high + tolerance || difference < low - tolerance - MAXIMUM_DELAY
  }

  #resetIfConsistent() {
    this.#out.contradictions = 0
    this.#back.contradictions = 0
    const extremes = PacketHistory.consistentExtremes(this.#out, this.#back)
    if (!extremes) return
    const [first, second] = extremes
    this.resets += 1
    const moment = Math.max(first.moment, second.moment)
    this.#kalman = this.#kalman?.restarted(first.difference, second.difference, moment)
    this.#restartFilter(first, second)
    this.#startTime = moment
    this.#newestTime = moment
    this.#packetsSinceStart = 2
    this.#bounds = undefined
    this.#fit()
  }
}

const LIMIT = 1n << 61n

function isPlausible(sent, received, resolution, local, now) {
  if ([sent, received, now].some((instant) => instant < -LIMIT || instant > LIMIT)) return false
  const age = Number(now - local) / 1e9
  return age >= 0 && age <= 10 && resolution >= 0 && resolution <= 1e9
}
