public import MusicalTime

/// The order in which the written bars of a score sound, with the position of each.
///
/// The positions grow from bar to bar, also where the score goes back: ticks never jump. The first downbeat has position 0 if the score
/// begins with a full bar. A pick-up is padded with rests, so that position 0 is the downbeat of the incomplete bar, as MIDI devices need
/// it. `Routes.md` states the policy for repeats and jumps.
///
/// A rehearsal begins at any bar, and a loop plays some bars again and again. These routes begin at position 0 with their first bar. What
/// the leader changes while the score plays (a vamp, another ending, a jump) is a new route from the next bar line on.
public struct Route: Hashable, Sendable {
  /// One bar of the route.
  public struct PlayedBar: Hashable, Sendable, BitwiseCopyable {
    /// The index in ``Score/bars``.
    public var bar: Int
    /// How often the section that contains the bar has begun, counted from 1.
    public var pass: Int
    /// Whether repeats are not taken: after D.C. and D.S., up to the coda.
    public var isAfterJump: Bool
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
  public init(_ score: Score) throws(ScoreFault) { try self.init(score, from: 0) }

  /// The route from a written bar on, with the repeats, endings and jumps that follow. A route from an ending is in the pass that takes
  /// this ending. Only a route from the first bar has padding.
  ///
  /// - Parameters:
  ///   - score: a valid score.
  ///   - bar: an index in ``Score/bars``; their count for a route without bars.
  ///   - pass: the pass through the repeated section of the bar, from 1; at most the number of its passes.
  ///   - isAfterJump: whether the music is after a D.C. or D.S.: repeats are not taken, Fine and To Coda count, and no other D.C. or D.S.
  ///     is taken.
  /// - Throws: ``ScoreFault`` if the bar does not exist, or the route is too long, as in ``init(_:)``.
  public init(_ score: Score, from bar: Int, pass: Int = 1, isAfterJump: Bool = false) throws(ScoreFault) {
    guard (0...score.bars.count).contains(bar) else { throw Self.missing(bar, score) }
    padding = bar == 0 ? Route.padding(score) : .zero
    end = padding
    var walk = RouteWalk(score, at: bar, pass: pass, isAfterJump: isAfterJump)
    while let next = walk.next() { try append(next.bar, pass: next.pass, isAfterJump: next.isAfterJump, score) }
    try checkContents(score)
  }

  /// One round of a loop: each written bar of a range once, without repeats and jumps. ``end`` is the length of a round.
  ///
  /// - Parameters:
  ///   - score: a valid score.
  ///   - bars: indices in ``Score/bars``, at least one.
  /// - Throws: ``ScoreFault`` if a bar does not exist, or there is none.
  public init(_ score: Score, looping bars: Range<Int>) throws(ScoreFault) {
    guard bars.lowerBound >= 0, bars.upperBound <= score.bars.count else {
      throw Self.missing(bars.lowerBound < 0 ? bars.lowerBound : bars.upperBound - 1, score)
    }
    guard !bars.isEmpty else { throw ScoreFault("the loop", "has no bars", "use at least one") }
    (padding, end) = (.zero, .zero)
    for bar in bars { try append(bar, pass: 1, isAfterJump: false, score) }
    try checkContents(score)
  }

  private static func missing(_ bar: Int, _ score: Score) -> ScoreFault {
    ScoreFault("the route", "bar \(bar &+ 1) does not exist", "use bars 1 to \(score.bars.count)")
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

  /// The rests before the first bar: what it lacks of its metre. Only the first bar is padded. Bars that do not count complete it: it is
  /// divided by a repeat.
  private static func padding(_ score: Score) -> Fraction {
    guard let bar = score.bars.first, let metre = bar.metre, metre.symbol != .free else { return .zero }
    var padding = try? metre.length - bar.length
    for bar in score.bars.dropFirst().prefix(while: \.isImplicit) { padding = padding.flatMap { try? $0 - bar.length } }
    return max(padding ?? .zero, .zero)
  }

  private func checkContents(_ score: Score) throws(ScoreFault) {
    let counts = score.contentCounts
    let sum = bars.reduce(0) { $0 + counts[$1.bar] }
    try Score.check(sum, Score.Limits.playedContents, "the route", "notes and rests with all repeats")
  }

  private mutating func append(_ bar: Int, pass: Int, isAfterJump: Bool, _ score: Score) throws(ScoreFault) {
    guard bars.count < Score.Limits.playedBars else {
      throw ScoreFault("the route", "more than \(Score.Limits.playedBars) bars with all repeats", "use fewer repeats")
    }
    bars.append(PlayedBar(bar: bar, pass: pass, isAfterJump: isAfterJump, start: end))
    end = try sum(end, score.bars[bar].length)
  }

  private func sum(_ a: Fraction, _ b: Fraction) throws(ScoreFault) -> Fraction {
    do throws(FractionError) { return try a + b } catch { throw .tooFine("the route") }
  }
}
