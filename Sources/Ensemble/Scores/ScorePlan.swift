public import MusicalTime
public import PeerProtocol
public import Scores

/// A ``ScoreLine`` in ticks: its bars, its tempo and its end, as the master announces them. All ticks are those of the rhythm.
public struct ScorePlan: Sendable {
  public let line: ScoreLine
  /// The bars in the order in which they sound. In a loop, those of one turn.
  public let route: Route
  /// The length of a turn of the loop, or of the whole rest of the score, in ticks, rounded up.
  public let length: Int64
  /// The first tick of each bar of ``route``, counted from the origin, and the meter of the grid from there on.
  private let barTicks: [Int64]
  private let meters: [Meter]
  /// The changes of the written tempo: their ticks, counted from the origin, and the new tempos.
  private let tempoTicks: [Int64]
  private let tempos: [Tempo]

  /// - Parameter score: the valid score with the digest of `line`.
  /// - Throws: `ScoreFault` if the line has a bar that does not exist, or if its bars are too many.
  public init(_ line: ScoreLine, in score: Score) throws(ScoreFault) {
    let (route, metres) = (try line.route(in: score), score.metres)
    (self.line, self.route) = (line, route)
    length = (ScorePosition(route.end).thousandths + 999) / 1000
    // A pick-up at the beginning belongs to a bar that begins at the origin, with rests.
    barTicks = route.bars.indices.map { $0 == 0 ? 0 : route.tick(ofPlayedBar: $0).index }
    meters = route.bars.map { Meter(of: metres[$0.bar]) }
    let changes = route.bars.isEmpty ? [] : TempoPath(score, along: route).changes
    (tempoTicks, tempos) = (changes.map(\.tick.index), changes.map(\.tempo))
  }

  /// Whether the bars repeat without end.
  public var isLoop: Bool { line.loopEnd > 0 }

  /// The first tick after the last bar; nil in a loop.
  var end: Tick? { isLoop ? nil : line.origin + length }

  /// A bar of ``route``, by its index, that begins at `tick`.
  public struct Bar: Hashable, Sendable {
    public var index: Int
    public var tick: Tick
  }

  /// The bar that contains a tick; nil before the first and after the last bar.
  public func bar(at tick: Tick) -> Bar? {
    guard let (turn, rest) = turn(at: tick), let index = index(in: barTicks, notAfter: rest) else { return nil }
    return Bar(index: index, tick: turn + barTicks[index])
  }

  /// The first bar that begins at a tick or later; nil after the last one.
  func bar(notBefore tick: Tick) -> Bar? {
    guard let present = bar(at: max(tick, line.origin)) else { return nil }
    if present.tick >= tick { return present }
    let next = present.index + 1
    if next < barTicks.count {
      return Bar(index: next, tick: present.tick + (barTicks[next] - barTicks[present.index]))
    }
    return isLoop ? bar(at: present.tick + (length - barTicks[present.index])) : nil
  }

  /// The index in `Score.bars` of a bar.
  public func written(_ bar: Bar) -> Int { route.bars[bar.index].bar }

  /// The first change of the bars after `tick` that `grid` needs: the next bar that does not begin with a bar line of `grid`, or that has
  /// another meter. Nil if none of the next bars needs one.
  func grid(after tick: Tick, from grid: BarGrid) -> BarGrid? {
    var next = bar(notBefore: tick + 1)
    // A longer search is continued when these bars have passed.
    for _ in 0..<64 {
      guard let bar = next else { return nil }
      let meter = meters[bar.index]
      if meter != grid.meter || !grid.begins(at: bar.tick) { return BarGrid(meter, from: bar.tick) }
      next = self.bar(notBefore: bar.tick + 1)
    }
    return nil
  }

  /// The meter of a bar.
  func meter(of bar: Bar) -> Meter { meters[bar.index] }

  /// The written tempo at a tick; nil after the end.
  func tempo(at tick: Tick) -> Tempo? {
    guard let (_, rest) = turn(at: max(tick, line.origin)) else { return nil }
    return index(in: tempoTicks, notAfter: rest).map { tempos[$0] }
  }

  /// The tick of the first change of the written tempo after `tick`; nil if there is none. The beginning of each turn of a loop counts as a
  /// change.
  func tempoChange(after tick: Tick) -> Tick? {
    if tick < line.origin { return line.origin }
    guard let (turn, rest) = turn(at: tick) else { return nil }
    let next = (index(in: tempoTicks, notAfter: rest) ?? -1) + 1
    if next < tempoTicks.count { return turn + tempoTicks[next] }
    return isLoop ? turn + length : nil
  }

  /// The first tick of the turn that contains a tick, and the ticks since then; nil before the origin and after the end.
  private func turn(at tick: Tick) -> (start: Tick, rest: Int64)? {
    let distance = tick - line.origin
    guard distance >= 0, length > 0 else { return nil }
    guard isLoop else { return distance < length ? (line.origin, distance) : nil }
    let rest = distance % length
    return (tick + -rest, rest)
  }

  /// The index of the last of the ascending `ticks` that is at most `tick`.
  private func index(in ticks: [Int64], notAfter tick: Int64) -> Int? {
    var (low, high) = (0, ticks.count)
    while low < high {
      let middle = (low + high) / 2
      if ticks[middle] <= tick { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

extension ScoreLine {
  /// The bars of the line in the order in which they sound. In a loop, those of one turn.
  ///
  /// - Parameter score: the valid score with the digest of the line.
  /// - Throws: `ScoreFault` if the line has a bar that does not exist, or if its bars are too many.
  public func route(in score: Score) throws(ScoreFault) -> Route {
    let (bar, end) = (Int(bar), Int(loopEnd))
    guard bar <= score.bars.count, end <= score.bars.count else {
      throw ScoreFault("bar \(bar + 1)", "the score has \(score.bars.count) bars", "choose one of them")
    }
    guard end == 0 else { return try Route(score, looping: bar..<end) }
    return try Route(score, from: bar, pass: Int(pass), isAfterJump: isAfterJump)
  }
}

extension Meter {
  /// The meter of the grid in a bar of a score. Bars of a score can have any length, and the bars of the grid have 1 to 16 beats. A metre
  /// that does not fit is replaced by one of the same length, such as 24/16 by 12/8. If there is none, as for 5/32, the next longer one is
  /// used, and the next bar cuts it.
  init(of metre: Metre) {
    let ticks = metre.length.floor(times: Tick.perQuarter)
    let isWhole = metre.length.rounded(times: Tick.perQuarter * 64) == ticks * 64
    let printed = metre.groups.count == 1 ? metre.groups[0] : nil
    let beats = printed.map { $0.beats.reduce(0, +) }
    if let printed, let beats, let meter = Meter(beats: beats, unit: printed.unit) {
      self = meter
      return
    }
    // The coarsest unit first, so that 3/1 is 6/2.
    let meters = [2, 4, 8, 16].flatMap { unit in (1...16).compactMap { Meter(beats: $0, unit: unit) } }
    let needed = isWhole ? ticks : ticks + 1
    self =
      meters.first { $0.ticksPerBar == needed }
      ?? meters.filter { $0.ticksPerBar > needed }.min { $0.ticksPerBar < $1.ticksPerBar }
      ?? Meter(beats: 16, unit: 2)!
  }
}
