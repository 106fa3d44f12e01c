public import MusicalTime
public import PeerProtocol
import Playback
public import Scores

/// The scores of the local peer.
struct ScoreShelf: Sendable {
  /// The score with which the local peer would start; nil: none.
  var chosen: DocumentDigest?
  /// Whether the rhythm plays beside the chosen score.
  var playsRhythm = false
  /// The bar at which the chosen score starts; nil: its beginning.
  var start: ScoreLine?
  /// The tempo at which the local peer would start, in millionths of the written tempo; as the master, the present one.
  var tempoFactor: UInt32 = 1_000_000
  /// The scores that the local peer can play.
  var scores: [DocumentDigest: Score] = [:]
  /// The documents of scores.
  var cache = DocumentCache(maximumCount: 4, maximumLength: 4 * Document.maximumLength)
  /// The score that another peer has chosen last.
  var newestSelection: DocumentDigest?
}

/// What the master announces of a score.
struct LedScore: Sendable {
  /// A change that the player has requested and that is not announced yet.
  enum Request: Sendable {
    case score(DocumentDigest?, playsRhythm: Bool, end: Instant)
    case bar(Int)
    case rhythm(Bool)
    case loop(Range<Int>)
    case vamp
    case endLoop
    case ending(Int)
  }

  /// The plan of the line that plays, and of the announced one.
  var present: ScorePlan?
  var next: ScorePlan?
  var request: Request?
  /// Whether the tempo is that of the score. False if an external clock gives the tempo.
  var setsTempo = true
}

// How a score plays: on the timeline of the rhythm, from the same tick at all peers.
//
// The timeline message names the score and the bar with which it goes on (``ScoreLine``). Each peer that has the score unfolds its repeats.
// The master announces the tempo of the score as changes of the tempo, and its metres as changes of the bars, so a peer without the score
// keeps time. The message has room for one change of the line, at a bar line: another bar, a loop, another score or none.
extension EnsembleState {
  /// The digest of the score that plays, or with which the local peer would start; nil if there is none.
  public var scoreDigest: DocumentDigest? {
    role == .idle ? shelf.chosen : timelineMessage?.score.next.digest ?? shelf.chosen
  }

  /// The score with this digest, if the local peer can play it.
  public func score(_ digest: DocumentDigest) -> Score? { shelf.scores[digest] }

  // MARK: Commands

  /// Chooses the score that the next rhythm plays, or as the master plays another score, or none, from a bar line on.
  ///
  /// - Parameters:
  ///   - score: a valid score and its document; nil: no score.
  ///   - playsRhythm: whether the rhythm plays beside the score.
  /// - Throws: ``CommandError`` if another peer is the master.
  public mutating func choose(
    _ score: (score: Score, document: Document)?, playsRhythm: Bool, at now: Instant
  ) throws(CommandError) {
    if role != .idle { try requireMaster() }
    if let score { insert(score.document, score.score) }
    (shelf.chosen, shelf.playsRhythm, shelf.start) = (score?.document.digest, playsRhythm, nil)
    guard role == .master else { return }
    let bar = schedule.grid[schedule.tick(at: now)].meter.ticksPerBar
    let length = Nanoseconds(schedule.tempo(at: now).nanosecondsPerQuarter * bar / Tick.perQuarter)
    try request(.score(score?.document.digest, playsRhythm: playsRhythm, end: now + length), at: now)
  }

  /// Starts at a bar, or as the master jumps to it at the next bar line.
  ///
  /// - Parameter bar: an index in `Score.bars`.
  /// - Throws: ``CommandError`` if another peer is the master, if no score is chosen, or if it has no such bar.
  public mutating func go(toBar bar: Int, at now: Instant) throws(CommandError) {
    let score = try requireScore(withBars: bar..<bar + 1)
    guard role == .idle else { return try request(.bar(bar), at: now) }
    // Devices see the position that the bar has in the whole score.
    let whole = try? ScorePlan(ScoreLine(shelf.chosen), in: score)
    let index = whole?.route.bars.firstIndex { $0.bar == bar } ?? 0
    let tick = (whole?.route.tick(ofPlayedBar: index) ?? Tick(0)).roundedUpToStep
    let origin = bar == 0 ? Tick(0) : tick
    shelf.start = ScoreLine(shelf.chosen, from: origin, bar: UInt16(bar), playsRhythm: shelf.playsRhythm)
    position = origin.step
  }

  /// As the master, repeats bars from the next bar line on.
  ///
  /// - Parameter bars: indices in `Score.bars`; nil: the bar that plays.
  /// - Throws: ``CommandError`` unless the local peer is the master of a score with these bars.
  public mutating func loop(_ bars: Range<Int>?, at now: Instant) throws(CommandError) {
    try requireMaster()
    if let bars { _ = try requireScore(withBars: bars) }
    try request(bars.map { .loop($0) } ?? .vamp, at: now)
  }

  /// As the master, ends the loop when its last bar has been played.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master of a score.
  public mutating func endLoop(at now: Instant) throws(CommandError) { try request(.endLoop, at: now) }

  /// As the master, takes the ending with this number when the endings of the repeated section begin, or at the next bar line if one plays.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master of a score, or if no such ending is ahead.
  public mutating func takeEnding(_ number: Int, at now: Instant) throws(CommandError) {
    try requireMaster()
    guard let plan = leader?.score.present, let score = plan.line.digest.flatMap({ score($0) }),
      let bar = plan.bar(at: schedule.tick(at: now + lead)),
      score.ending(number, after: plan.written(bar)) != nil
    else { throw .noSuchEnding(number) }
    try request(.ending(number), at: now)
  }

  private mutating func request(_ request: LedScore.Request, at now: Instant) throws(CommandError) {
    try requireMaster()
    if case .score = request {} else if timelineMessage!.score.next.digest == nil { throw .noScore }
    leader!.score.request = request
    settleScore(at: now)
  }

  private func requireScore(withBars bars: Range<Int>) throws(CommandError) -> Score {
    if role != .idle { try requireMaster() }
    guard let score = scoreDigest.flatMap({ score($0) }) else { throw .noScore }
    guard !bars.isEmpty, bars.lowerBound >= 0, bars.upperBound <= score.bars.count else {
      throw .noSuchBar(count: score.bars.count)
    }
    return score
  }

  /// Whether the rhythm plays beside the score that plays, or would start.
  public var playsRhythmBesideScore: Bool {
    role != .idle && timelineMessage?.score.next.digest != nil
      ? timelineMessage!.score.next.playsRhythm : shelf.playsRhythm
  }

  /// Lets the rhythm play beside the score, or not: from the next start on, or as the master from the next bar line on.
  ///
  /// - Throws: ``CommandError`` if another peer is the master.
  public mutating func play(besideScore playsRhythm: Bool, at now: Instant) throws(CommandError) {
    if role != .idle { try requireMaster() }
    shelf.playsRhythm = playsRhythm
    shelf.start?.playsRhythm = playsRhythm
    if role == .master, timelineMessage!.score.next.digest != nil { try request(.rhythm(playsRhythm), at: now) }
  }

  /// The meter in which a start of the chosen score is counted in; nil if no score is chosen.
  public var startMeter: Meter? {
    guard let start = scoreStart(at: Step(0)), let plan = plan(start.line) else { return nil }
    return plan.bar(at: start.first).map { plan.meter(of: $0) }
  }

  // MARK: Documents

  /// Records that the received score with this digest can be played. It sounds from the next bar line on.
  public mutating func accept(_ digest: DocumentDigest, _ score: Score, at now: Instant) {
    shelf.cache.record(digest, isPlayable: true)
    shelf.scores[digest] = score
    forgetScores()
    if role == .master { planScore(at: now) }
  }

  /// Records that the received score with this digest cannot be played. The local peer keeps time without it.
  public mutating func refuse(score digest: DocumentDigest) { shelf.cache.record(digest, isPlayable: false) }

  private mutating func insert(_ document: Document, _ score: Score) {
    shelf.scores[document.digest] = score
    shelf.cache.insert(document, isPlayable: true, keeping: neededScores)
    forgetScores()
  }

  /// The scores that must stay: those of the timeline message, and the chosen one.
  var neededScores: Set<DocumentDigest> {
    Set([shelf.chosen, timelineMessage?.score.value.digest, timelineMessage?.score.next.digest].compactMap { $0 })
  }

  private mutating func forgetScores() {
    let needed = neededScores
    let cache = shelf.cache
    shelf.scores = shelf.scores.filter { needed.contains($0.key) || cache[$0.key] != nil }
  }

  // MARK: Start

  /// What a rhythm that starts at `position` plays of the chosen score, and its first tick; nil if no score is chosen.
  func scoreStart(at position: Step) -> (line: ScoreLine, first: Tick)? {
    guard let chosen = shelf.chosen, shelf.scores[chosen] != nil else { return nil }
    let start = shelf.start ?? ScoreLine(chosen, playsRhythm: shelf.playsRhythm)
    guard position != Step(0), position != start.origin.step, schedule.run != 0 else { return (start, start.origin) }
    let last = schedule.score[schedule.end + -1]
    return last.digest == chosen ? (last, Tick(of: position)) : (start, start.origin)
  }

  /// The line with which the next ``start(tempo:from:countIn:at:)`` begins; nil if no score is chosen.
  public var startLine: ScoreLine? { scoreStart(at: Step(0))?.line }

  /// The lines with which a rhythm of the local peer or of another peer will probably start, so that their tables can be made in advance.
  public var expectedLines: [ScoreLine] {
    let other = shelf.newestSelection.flatMap { shelf.scores[$0] != nil ? ScoreLine($0) : nil }
    return [startLine, other].compactMap { $0 }
  }

  /// The plan of a line whose score the local peer has.
  func plan(_ line: ScoreLine) -> ScorePlan? {
    line.digest.flatMap { score($0) }.flatMap { try? ScorePlan(line, in: $0) }
  }

  /// A written tempo with the factor of the leader.
  func scaled(_ tempo: Tempo) -> Tempo {
    let factor = Int64(shelf.tempoFactor)
    let length = (tempo.nanosecondsPerQuarter * 1_000_000 + factor / 2) / factor
    return Tempo(nanosecondsPerQuarter: min(max(length, Tempo.lengths.lowerBound), Tempo.lengths.upperBound)) ?? tempo
  }
}
