public import MusicalTime

/// The order in which the written bars of a score sound, with the position of each.
///
/// The positions grow from bar to bar, also where the score goes back: ticks never jump. The first downbeat has position 0 if the score
/// begins with a full bar. A pick-up is padded with rests, so that position 0 is the downbeat of the incomplete bar, as MIDI devices need
/// it. `Routes.md` states the policy for repeats and jumps.
public struct Route: Hashable, Sendable {
  /// One bar of the route.
  public struct PlayedBar: Hashable, Sendable, BitwiseCopyable {
    /// The index in ``Score/bars``.
    public var bar: Int
    /// How often the section that contains the bar has begun, counted from 1.
    public var pass: Int
    /// The beginning in quarter notes from position 0.
    public var start: Fraction
  }

  public private(set) var bars: [PlayedBar] = []
  /// The end of the last bar in quarter notes.
  public private(set) var end: Fraction
  /// The length of the rests before a pick-up in quarter notes.
  public let padding: Fraction

  /// The route as written.
  ///
  /// - Parameter score: a valid score (``Score/validate()``).
  /// - Throws: ``ScoreFault`` if the route is longer than ``Score/Limits/playedBars`` or ``Score/Limits/playedContents``.
  public init(_ score: Score) throws(ScoreFault) {
    padding = Route.padding(score)
    end = padding
    var walk = RouteWalk(score, at: 0)
    try append(&walk, score)
    try checkContents(score)
  }

  /// The route with another future: after the played bar with index `played`, it goes on with the bars `detours` and then with bar `next`
  /// as after a jump. The leader vamps, takes another ending or goes to a bar in this way. The bars up to `played` never change.
  ///
  /// - Parameters:
  ///   - detours: ranges of indices in ``Score/bars``, played once each.
  ///   - next: an index in ``Score/bars``; its count to end there.
  /// - Throws: ``ScoreFault`` if an index does not exist, or the route becomes too long.
  public func continued(
    after played: Int, through detours: [Range<Int>] = [], to next: Int, in score: Score
  ) throws(ScoreFault) -> Route {
    guard bars.indices.contains(played), (0...score.bars.count).contains(next),
      detours.allSatisfy({ $0.lowerBound >= 0 && $0.upperBound <= score.bars.count })
    else { throw ScoreFault("the route", "the bar does not exist", "use a bar of the score") }
    var route = self
    route.bars.removeSubrange((played + 1)...)
    route.end = try sum(bars[played].start, score.bars[bars[played].bar].length)
    for bar in detours.joined() { try route.append(bar, pass: 1, score) }
    var walk = RouteWalk(score, at: next, isAfterJump: true)
    try route.append(&walk, score)
    try route.checkContents(score)
    return route
  }

  /// The index of the played bar that contains a position in quarter notes; nil before the first and after the last bar.
  public func playedBar(at position: Fraction) -> Int? {
    guard let first = bars.first, position >= first.start, position < end else { return nil }
    var (low, high) = (0, bars.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if bars[middle].start <= position { low = middle } else { high = middle }
    }
    return low
  }

  /// The first tick of a played bar, rounded down. Every bar of a usual metre begins at a whole tick.
  public func tick(ofPlayedBar index: Int) -> Tick { Tick(bars[index].start.floor(times: Tick.perQuarter)) }

  /// The rests before the first bar: what it lacks of its metre. Only the first bar is padded.
  private static func padding(_ score: Score) -> Fraction {
    guard let bar = score.bars.first, let metre = bar.metre, metre.symbol != .free, bar.length < metre.length else {
      return .zero
    }
    return (try? metre.length - bar.length) ?? .zero
  }

  private func checkContents(_ score: Score) throws(ScoreFault) {
    let counts = score.contentCounts
    let sum = bars.reduce(0) { $0 + counts[$1.bar] }
    try Score.check(sum, Score.Limits.playedContents, "the route", "notes and rests with all repeats")
  }

  private mutating func append(_ walk: inout RouteWalk, _ score: Score) throws(ScoreFault) {
    while let (bar, pass) = walk.next() { try append(bar, pass: pass, score) }
  }

  private mutating func append(_ bar: Int, pass: Int, _ score: Score) throws(ScoreFault) {
    guard bars.count < Score.Limits.playedBars else {
      throw ScoreFault("the route", "more than \(Score.Limits.playedBars) bars with all repeats", "use fewer repeats")
    }
    bars.append(PlayedBar(bar: bar, pass: pass, start: end))
    end = try sum(end, score.bars[bar].length)
  }

  private func sum(_ a: Fraction, _ b: Fraction) throws(ScoreFault) -> Fraction {
    do throws(FractionError) { return try a + b } catch { throw .tooFine("the route") }
  }
}
