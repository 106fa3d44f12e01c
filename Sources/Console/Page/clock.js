// The estimate of the peer's clock: a port of the Swift module ClockSync with the same names. The comments of the Swift types explain
// the methods and the constants. Tests/ConsoleTests/Page/vectors.mjs compares the results of the port with those of the Swift module.
//
// A difference is the peer's instant minus the page's instant of a packet, in nanoseconds. A moment is an instant of the page's clock in
// seconds. Differences and moments are relative to those of the first packet. An outbound packet (`isOut`) goes from the page to the peer.

import { INITIAL_SKEW_DEVIATION, KalmanClock } from "./kalman-clock.js"

/** The length of the window of MinimumDelayFilter in seconds, and the number of buckets in the window. */
const SPAN = 15
const BUCKETS = 120
/** The largest skew that the filter considers, in nanoseconds per second. */
const MAXIMUM_SKEW = 1_000_000
/** The largest drift of the skew of a crystal, in nanoseconds per second per second: 1 ppm per minute. */
const SKEW_DRIFT = 1000 / 60
/** The variance before the first fit, in square nanoseconds. */
const UNKNOWN_VARIANCE = 1e30
/** The ratio of the golden-section search. */
const GOLDEN_RATIO = 0.61803398875

/** The extreme packet of a bucket: its moment, its difference, and the number of packets in the bucket. */
const emptyPoint = () => ({ x: -Infinity, y: 0, packets: 0 })
const bucketOf = (moment) => Math.floor(moment * (BUCKETS / SPAN))
const beginningOf = (bucket) => bucket * (SPAN / BUCKETS)
const slotOf = (bucket) => ((bucket % BUCKETS) + BUCKETS) % BUCKETS

/**
 * Estimates the peer's clock from the packets with the least delay. Outbound differences lie above the line of the offset over time, and
 * returning differences below it. The filter finds the slope of the widest band between both that contains no packet. This slope is the
 * skew, and the middle of the band is the offset.
 */
class MinimumDelayFilter {
  /** The lowest outbound and the highest returning packet of each bucket, as ring buffers. */
  outbound = Array.from({ length: BUCKETS }, emptyPoint)
  returning = Array.from({ length: BUCKETS }, emptyPoint)
  /** The slots of the corners of each hull, oldest first. */
  outboundHull = []
  returningHull = []
  /** The ranges of indices of the corners of both hulls at the last fit, as [first, end]. */
  corners = { outbound: [0, 0], returning: [0, 0] }
  offset = 0
  skew = 0
  /** Half the width of the band, in nanoseconds. */
  halfWidth = Infinity
  /** The moment of the last fit. */
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

  /** Adds a packet. The filter keeps it if it is the first of its bucket, or more extreme than the kept packet of its bucket. */
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

  /** Fits the band to the packets in the window that ends at a moment. Returns false while one direction has no packets there. */
  fit(moment) {
    const newest = bucketOf(moment)
    const outboundPackets = hull(this.outbound, newest, 1, this.outboundHull)
    const returningPackets = hull(this.returning, newest, -1, this.returningHull)
    const [outboundCount, returningCount] = [this.outboundHull.length, this.returningHull.length]
    if (outboundCount === 0 || returningCount === 0) return false
    this.corners = { outbound: [0, outboundCount], returning: [0, returningCount] }
    this.time = moment
    // Prior knowledge: the skew has the mean zero and the deviation INITIAL_SKEW_DEVIATION. This knowledge has the weight of one packet.
    const flat = this.band(0, this.corners)
    const priorWeight = Math.max(flat.high - flat.low, 1) / (outboundPackets + returningPackets)
    const remaining = { outbound: [0, outboundCount], returning: [0, returningCount] }
    const evaluate = (slope) => {
      const band = this.band(slope, remaining)
      const normalized = slope / INITIAL_SKEW_DEVIATION
      return { width: band.high - band.low - (priorWeight * normalized * normalized) / 2, band }
    }
    // Golden-section search for the slope with the widest band.
    let [least, greatest] = [-MAXIMUM_SKEW, MAXIMUM_SKEW]
    let left = greatest - (greatest - least) * GOLDEN_RATIO
    let right = least + (greatest - least) * GOLDEN_RATIO
    let [atLeft, atRight] = [evaluate(left), evaluate(right)]
    for (let n = 0; n < 40; n += 1) {
      if (atLeft.width < atRight.width) {
        // The slope of the widest band is above `left`. The corners that only bands with a smaller slope touch are discarded.
        const { outbound, returning } = remaining
        outbound[0] = Math.min(atLeft.band.highCorner, outbound[1] - 1)
        returning[1] = Math.max(atLeft.band.lowCorner, returning[0]) + 1
        least = left
        left = right
        atLeft = atRight
        right = least + (greatest - least) * GOLDEN_RATIO
        atRight = evaluate(right)
      } else {
        // The slope of the widest band is below `right`. The corners that only bands with a greater slope touch are discarded.
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
    const curvatureError = (SKEW_DRIFT * SPAN * SPAN) / 24
    this.variance = 8 * (highError * highError + lowError * lowError) + curvatureError * curvatureError
    const last = (points, corners) => points[corners[corners.length - 1]].x
    const end = Math.min(last(this.outbound, this.outboundHull), last(this.returning, this.returningHull))
    const beginning = Math.max(this.outbound[this.outboundHull[0]].x, this.returning[this.returningHull[0]].x)
    const duration = Math.max(end - beginning, SPAN / BUCKETS)
    this.skewVariance = Math.min(
      (3 * this.variance) / (duration * duration), INITIAL_SKEW_DEVIATION * INITIAL_SKEW_DEVIATION)
    return true
  }

  /** The edges of the band with the slope `skew` at the last fit. If the clock has this skew, the edges are the bounds of the offset. */
  bounds(skew) {
    const band = this.band(skew, this.corners)
    return [band.low, band.high]
  }

  /** The edges of the band with a slope, and the corners that the edges touch. `corners`: the ranges of indices in both hulls to search. */
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

  /**
   * The amount in nanoseconds by which an edge moves if one packet is added or removed, estimated from the spacing of the six points that
   * are nearest to the edge. `sign`: 1 if the points lie above the edge, -1 if they lie below it. `newest`: the last bucket of the window.
   */
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

/**
 * Finds the corners of the lower side of the convex hull of the points in the window; of the upper side if `sign` is -1. Puts the slots
 * of the corners into the array `corners`. Returns the number of packets of all points. `newest` is the last bucket of the window.
 */
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

/** The newest eight packets of one direction, including those that contradict the estimate and are not used. */
class PacketHistory {
  packets = []
  count = 0
  /** The number of consecutive packets that contradict the estimate. */
  contradictions = 0

  get newest() {
    return this.packets[this.packets.length - 1]
  }

  add(difference, moment) {
    this.packets.push({ moment, difference })
    if (this.packets.length > 8) this.packets.shift()
    this.count += 1
  }

  /**
   * The packets with the least delay of both directions; undefined if the newest packets are not consistent with two clocks that run at
   * nearly the same rate.
   */
  static consistentExtremes(out, back) {
    if (out.count < 8 || back.count < 8) return undefined
    const now = Math.max(out.newest.moment, back.newest.moment)
    let [lowestOut, highestBack, oldest] = [out.newest, back.newest, now]
    // The order is that of the ring buffer in Swift, because the first of several equal differences is used.
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

  /** The packet that is at an index of the ring buffer in Swift, where packet number n is at index n % 8. */
  at(index) {
    return this.packets[(((index - this.count) % 8) + 8) % 8]
  }
}

/** The largest plausible delay of a packet, in nanoseconds. */
const MAXIMUM_DELAY = 10e9
/** The largest change of the offset that the estimate allows for while no packet arrives, in nanoseconds per second. */
const MAXIMUM_DIVERGENCE = 100_000
/** The error of a time stamp, in nanoseconds. */
const STAMP_ERROR = 20_000

/** Rounds to the nearest integer, ties away from zero, as in Swift. */
function rounded(value) {
  const limited = Math.min(Math.max(value, -4e18), 4e18)
  return Math.sign(limited) * Math.round(Math.abs(limited))
}

/** The weight of the Kalman estimate in the mean of both estimates, 0...1. The minimum-delay filter has the remaining weight. */
function weightOf(kalmanVariance, filterVariance) {
  const ratio = kalmanVariance / filterVariance
  return 1 / (1 + ratio * ratio)
}

/**
 * Estimates the offset and the skew of the peer's clock: the mean of the results of KalmanClock and MinimumDelayFilter, weighted by their
 * variances. All instants are BigInt nanoseconds, so that no precision is lost.
 */
export class RemoteClock {
  /** The number of packets that the estimate has used since it began. */
  count = 0
  /** The number of packets that were implausible or contradicted the estimate. */
  rejected = 0
  /** The number of times that the estimate was reset, because the peer's clock was set, or its rate or the route changed. */
  resets = 0
  /** The instant and the difference of the first packet, to which moments and differences are relative. */
  #origin
  #kalman
  #filter = new MinimumDelayFilter()
  /** The moment of the last fit. */
  #fitTime = -Infinity
  #packetsSinceFit = 0
  #packetsSinceStart = 0
  /** The least and the greatest possible offset at the last fit. */
  #bounds
  #out = new PacketHistory()
  #back = new PacketHistory()
  #newestTime = -Infinity
  #startTime = Infinity
  #skew = 0

  /** Whether the estimate is good enough to play by it. */
  get isSettled() {
    return this.count >= 8 || this.#newestTime - this.#startTime >= 0.5
  }

  /**
   * Processes one packet. `sent` and `received` are instants by the clocks of its sender and its receiver. `resolution` is the resolution
   * of the coarser of both clocks, in nanoseconds (Number). `now` is the present instant of the page's clock.
   */
  add(isOut, sent, received, resolution, now) {
    const [local, remote] = isOut ? [sent, received] : [received, sent]
    if (!isPlausible(sent, received, resolution, local, now)) {
      this.rejected += 1
      return
    }
    if (
      // After ten minutes without packets, the estimate begins again.
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

  /** Whether enough packets and time have passed since the last fit. */
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
    // If the bounds have crossed, the old ones remain until the next packets show whether the estimate must be reset.
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

  /** Starts the estimate as soon as there is one packet in each direction. */
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

  /**
   * Whether, by the estimate, a packet has arrived before it was sent, or has taken longer than MAXIMUM_DELAY. `margin` is an additional
   * tolerance in nanoseconds.
   */
  #contradicts(difference, isOut, moment, margin) {
    if (!this.#bounds) return false
    const tolerance =
      STAMP_ERROR + margin + Math.max(0, Math.abs(moment - this.#fitTime) - 0.05) * MAXIMUM_DIVERGENCE
    const [low, high] = this.#bounds
    return isOut
      ? difference < low - tolerance || difference > high + tolerance + MAXIMUM_DELAY
      : difference > high + tolerance || difference < low - tolerance - MAXIMUM_DELAY
  }

  /** Resets the estimate if the newest packets are consistent with each other. */
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

/** The largest magnitude of an instant, in nanoseconds: 73 years. */
const LIMIT = 1n << 61n

/** Whether the instants of a packet and the resolution are in range, and the packet's local instant is at most ten seconds ago. */
function isPlausible(sent, received, resolution, local, now) {
  if ([sent, received, now].some((instant) => instant < -LIMIT || instant > LIMIT)) return false
  const age = Number(now - local) / 1e9
  return age >= 0 && age <= 10 && resolution >= 0 && resolution <= 1e9
}
