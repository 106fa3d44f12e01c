/// Numbers the ticks of a clock from their stamps, relative to the beginning of each run.
///
/// A single interval does not tell the number of a tick: with a jitter of a quarter of a tick, intervals from half a tick to one and a half
/// ticks occur. The ticks are therefore numbered against a tracking line, which follows the tempo. The best numbers are those of the most
/// probable sequence of events (``TickHypothesis``): the next tick, missing ticks, a repeated tick, late ticks, a step of the phase or of
/// the tempo. Like the Viterbi algorithm (G. D. Forney, Proceedings of the IEEE 61 (3), 1973), the search keeps the best hypotheses after
/// each stamp, and decides when all later stamps are known. Unlike it, the search keeps only ``beamWidth`` hypotheses.
///
/// A run ends with a pause of more than 24 ticks, a quarter note of MIDI clock.
///
/// The length of a tick at the beginning of a run is that of `--nominal`, and the slope of the line then stays within 3 % of it. Otherwise
/// there are two hypotheses: the mean of the intervals near the median interval, and the mean of all intervals. The first one is right if
/// ticks are missing or repeated. The second one is right if the stamps are quantized to multiples of a time not much shorter than a tick,
/// as those of MIDI over Bluetooth Low Energy are.
///
/// Stamps that are quantized to nearly the length of a tick look like a clock of another tempo that regularly loses or repeats ticks. If
/// a run has at least ``suspiciousEvents`` such events, but consecutive numbers put each stamp less than half a tick from a straight line,
/// the numbers are consecutive. Ticks that are lost at random leave this band. Fewer events are ignored if the run has at least
/// ``longRun`` stamps and all of them are less than 0.4 ticks from the line. A lost tick moves the stamps before and after it to nearly half
/// a tick from the line.
struct TickNumbering {
  /// For each stamp, the number of ticks since the previous stamp: 0 for a repeated tick, ``ClockStamps/restart`` for the first stamp of a
  /// run.
  private(set) var advances: [Int32]
  /// The number of stamps whose numbers are uncertain: their distance to the predicted instant is 0.4 ticks or more. Stamps of a run with
  /// consecutive numbers are certain if all of them are less than 0.4 ticks from a straight line.
  private(set) var uncertain = 0

  private let stamps: [Int64]
  /// The length of a tick at the nominal tempo in nanoseconds; nil if unknown.
  private let nominalPeriod: Double?

  /// The longest interval within a run, in ticks.
  static let longestGap = 24.0
  private static let beamWidth = 12
  /// Hypotheses that cost more than the best one by this difference are dropped.
  private static let largestCost = 30.0
  private static let suspiciousEvents = 8
  private static let uncertainError = 0.4
  private static let longRun = 100
  /// The largest difference of the length of a tick from the nominal length, as a fraction.
  static let nominalTolerance = 0.03
  /// The number of intervals from which the length of a tick at the beginning of a run is estimated.
  private static let firstIntervals = 32

  /// Numbers the ticks. The time is O(n) for n stamps.
  ///
  /// - Parameters:
  ///   - stamps: the stamps in nanoseconds, ascending.
  ///   - nominalPeriod: the length of a tick at the nominal tempo in nanoseconds; nil if unknown.
  init(_ stamps: [Int64], nominalPeriod: Double?) {
    (self.stamps, self.nominalPeriod) = (stamps, nominalPeriod)
    advances = [Int32](repeating: 1, count: stamps.count)
    var start = 0
    while start < stamps.count { start = numberRun(from: start) }
  }

  /// Numbers the run that begins with the stamp at `start`. Returns the index of the stamp after the run.
  private mutating func numberRun(from start: Int) -> Int {
    advances[start] = ClockStamps.restart
    var hypotheses = firstHypotheses(at: start)
    let limits =
      nominalPeriod.map { max($0 * (1 - Self.nominalTolerance), 1)...max($0 * (1 + Self.nominalTolerance), 1) }
      ?? 1...Double(1 << 62)
    var history = History(first: start + 1)
    var next: [TickHypothesis] = []
    var candidates: [(event: TickHypothesis.Event, parent: Int, cost: Double)] = []
    var (index, uncertainInRun) = (start + 1, 0)
    while index < stamps.count {
      let interval = Double(stamps[index] - stamps[index - 1])
      guard interval <= (Self.longestGap + 0.5) * hypotheses[0].period else { break }
      let time = Double(stamps[index] - stamps[start])
      candidates.removeAll(keepingCapacity: true)
      for (parent, hypothesis) in hypotheses.enumerated() {
        hypothesis.forEachEvent(at: time, interval: interval) { candidates.append(($0, parent, $1)) }
      }
      candidates.sort { $0.cost < $1.cost }
      let least = candidates[0].cost
      next.removeAll(keepingCapacity: true)
      for (event, parent, cost) in candidates where next.count < Self.beamWidth && cost < least + Self.largestCost {
        let previous = hypotheses[parent]
        let hypothesis = previous.after(event, cost: cost - least, at: time, limits: limits)
        // At most five hypotheses have one number, so that the others are not crowded out.
        guard !next.contains(where: { $0.isLike(hypothesis) }),
          next.count(where: { $0.number == hypothesis.number }) < 5
        else { continue }
        history.append(parent: parent, advance: hypothesis.number - previous.number)
        next.append(hypothesis)
      }
      swap(&hypotheses, &next)
      if abs(hypotheses[0].error) >= Self.uncertainError { uncertainInRun += 1 }
      history.endStep(&advances)
      index += 1
    }
    history.finish(&advances)
    let run = start..<index
    let events = advances[run].dropFirst().count { $0 != 1 }
    if events > 0 || uncertainInRun > 0 {
      let error = straightError(of: run)
      let isLong = run.count >= Self.longRun
      if error < (events >= Self.suspiciousEvents ? 0.5 : isLong ? Self.uncertainError : 0) {
        for index in run.dropFirst() { advances[index] = 1 }
      }
      if error < Self.uncertainError { uncertainInRun = 0 }
    }
    uncertain += uncertainInRun
    return index
  }

  /// Returns one hypothesis for each probable length of a tick at the beginning of a run.
  private func firstHypotheses(at start: Int) -> [TickHypothesis] {
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    func intervals(_ count: Int) -> [Double] {
      (start..<min(start + count, stamps.count - 1)).map { Double(stamps[$0 + 1] - stamps[$0]) }
    }
    // Returns the mean of the intervals near `center`; `center` if there are none.
    func typical(_ intervals: [Double], near center: Double) -> Double {
      let near = intervals.filter { $0 > center / 2 && $0 < center * 1.5 }
      return max(near.isEmpty ? center : mean(near), 1)
    }
    var periods: [Double]
    let first = intervals(Self.firstIntervals)
    if let nominalPeriod {
      // With long gaps, an error of the nominal tempo of 2 % would give wrong numbers.
      let measured = typical(intervals(128 * Self.firstIntervals), near: nominalPeriod)
      periods = abs(measured / nominalPeriod - 1) < Self.nominalTolerance ? [measured] : []
      periods.append(max(nominalPeriod, 1))
    } else {
      periods = [typical(first, near: first.isEmpty ? 1 : first.sorted()[first.count / 2])]
      // The run ends at a pause. An interval of several ticks is a gap, and then the mean is not the length of a tick.
      let run = Array(first.prefix { $0 <= Self.longestGap * periods[0] })
      if !run.isEmpty, !run.contains(where: { $0 > 2.6 * periods[0] }) {
        let mean = max(mean(run), 1)
        if (0.625...1.6).contains(mean / periods[0]) { periods.append(mean) }
      }
    }
    let weight = nominalPeriod == nil ? 6.0 : 32
    return periods.enumerated().map { TickHypothesis(period: $1, weight: weight, cost: Double($0) * 3) }
  }

  /// Returns the largest distance of the stamps of a run from their straight line in ticks, if their numbers are consecutive; infinity if
  /// the length of a tick is then not the nominal one.
  private func straightError(of run: Range<Int>) -> Double {
    let (first, last) = (stamps[run.lowerBound], stamps[run.upperBound - 1])
    let (count, slope) = (Double(run.count), Double(last - first) / Double(run.count - 1))
    func remainder(_ position: Int) -> Double {
      Double(stamps[run.lowerBound + position] - first) - slope * Double(position)
    }
    let center = (count - 1) / 2
    var (mean, xy) = (0.0, 0.0)
    for position in 0..<run.count {
      let value = remainder(position)
      mean += value / count
      xy += (Double(position) - center) * value
    }
    let correction = xy / (count * (count * count - 1) / 12)
    let period = slope + correction
    if let nominalPeriod, abs(period / nominalPeriod - 1) > Self.nominalTolerance { return .infinity }
    var greatest = 0.0
    for position in 0..<run.count {
      greatest = max(greatest, abs(remainder(position) - mean - correction * (Double(position) - center)))
    }
    return period > 0 ? greatest / period : .infinity
  }

  /// The events of the last stamps of a run, from which the numbers of the best hypothesis follow.
  ///
  /// After ``capacity`` stamps, all but the last ``delay`` ones are decided. All hypotheses that remain have these events in common,
  /// unless their numbers differ for more than ``delay`` stamps.
  private struct History {
    /// For each hypothesis after each stamp, its parent and its advance.
    private var steps: [(parent: UInt8, advance: Int32)] = []
    /// The number of hypotheses after each stamp, summed up.
    private var ends: [Int] = []
    /// The index of the first stamp.
    private var first: Int

    private static let (capacity, delay) = (8192, 1024)

    init(first: Int) { self.first = first }

    /// Appends a hypothesis after the present stamp, in the order of the costs.
    mutating func append(parent: Int, advance: Int) { steps.append((UInt8(parent), Int32(advance))) }

    /// Ends the present stamp.
    mutating func endStep(_ advances: inout [Int32]) {
      ends.append(steps.count)
      if ends.count == Self.capacity { decide(Self.capacity - Self.delay, &advances) }
    }

    /// Decides all stamps.
    mutating func finish(_ advances: inout [Int32]) { decide(ends.count, &advances) }

    /// Follows the best hypothesis back, stores its advances, and forgets the first `count` stamps.
    private mutating func decide(_ count: Int, _ advances: inout [Int32]) {
      var hypothesis = 0
      for position in ends.indices.reversed() {
        let step = steps[(position > 0 ? ends[position - 1] : 0) + hypothesis]
        advances[first + position] = step.advance
        hypothesis = Int(step.parent)
      }
      guard count > 0 else { return }
      let removed = ends[count - 1]
      steps.removeFirst(removed)
      ends.removeFirst(count)
      for position in ends.indices { ends[position] -= removed }
      first += count
    }
  }
}
