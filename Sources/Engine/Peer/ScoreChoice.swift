import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import Realtime
import Scores

/// The scores of this peer: the names for the player, the levels of the parts, and the tables of notes for the clock thread.
struct ScoreChoice {
  /// What the clock thread needs from now on.
  struct Effect {
    /// The tables, and the place of each.
    var tables: [(place: Int, table: ScoreTable)] = []
    var levels: ScoreLevels?
    /// The names of the parts of a score that begins to play.
    var begun: [String]?
    var notices: [Notice] = []
  }

  /// Reads the scores that other peers have sent, and makes tables.
  let worker: ScoreWorker
  /// The names by which the player knows the scores.
  private var names: [DocumentDigest: String] = [:]
  /// The names and paths of the scores that the player has chosen.
  private var files: [DocumentDigest: String] = [:]
  /// The lines of the tables that the clock thread has in its two places.
  private var places: [ScoreLine?] = [nil, nil]
  /// The lines whose tables are being made.
  private var pending: [ScoreLine] = []
  /// The number of the last table.
  private var number: UInt32 = 0
  /// The score to which ``levels`` belong.
  private var leveled: DocumentDigest?
  private(set) var levels = ScoreLevels()
  /// The levels that the player wants before a score with the part is known: `--score-part`.
  private var wanted: [(part: String, level: ScorePartLevel)]
  /// The score whose tracks the MIDI recording has begun.
  private var recorded: DocumentDigest?
  /// The score of which the player knows that it is awaited.
  private var awaited: DocumentDigest?
  /// The plan of the line that plays, for the display.
  private(set) var plan: ScorePlan?

  init(_ configuration: PeerConfiguration, bell: Doorbell) {
    (worker, wanted) = (ScoreWorker(bell: bell), configuration.scoreParts)
  }

  /// The name of a score for the player.
  func name(of digest: DocumentDigest, _ score: Score?) -> String {
    names[digest] ?? score.flatMap { $0.displayTitle } ?? "without a title"
  }

  /// The name or path of the score that plays, or would play next, if the player has chosen it.
  func file(in core: PeerCore) -> String? { core.ensemble.scoreDigest.flatMap { files[$0] } }

  /// Chooses a score, or none.
  mutating func choose(
    _ chosen: ChosenScore?, playsRhythm: Bool, in core: PeerCore, at now: Instant
  ) throws(CommandError) -> [Notice] {
    let pair = chosen.map { (score: $0.score, document: $0.document) }
    try core.ensemble.choose(pair, playsRhythm: playsRhythm, at: now)
    guard let chosen else { return [Notice("score: none")] }
    names[chosen.document.digest] = chosen.name
    files[chosen.document.digest] = chosen.name
    let start =
      core.ensemble.role == .idle
      ? "chosen; it plays when the rhythm starts"
      : "plays from the next bar on, or one bar later if the other peers do not have it yet"
    return [Notice("score \(chosen.name): \(start)")]
  }

  /// Handles the results of the worker.
  mutating func take(in core: PeerCore, at now: Instant) -> Effect {
    var effect = Effect()
    for result in worker.take() {
      switch result {
      case .read(let document, let sender, .success(let score)):
        names[document.digest] =
          names[document.digest] ?? "\(score.displayTitle ?? "without a title") (\(core.name(of: sender)))"
        core.ensemble.accept(document.digest, score, at: now)
        let line = "score \(score.displayTitle ?? "without a title"): received from \(core.name(of: sender))"
        effect.notices.append(Notice(line, .info, .patches, of: "the score"))
      case .read(let document, let sender, .failure(let fault)):
        core.ensemble.refuse(score: document.digest)
        let line = "score from \(core.name(of: sender)): \(fault); this peer keeps time without it"
        effect.notices.append(Notice(line, .warning, .patches, of: "the score"))
      case .table(let line, let table):
        pending.removeAll { ScoreLine.playSameBars($0, line) }
        let needed = lines(of: core)
        guard let place = freePlace(for: needed) else {
          table.notes.free()
          continue
        }
        places[place] = line
        effect.tables.append((place, table))
      }
    }
    return effect
  }

  /// Follows the score of the schedule: makes the tables of its lines, and of the line of the next start.
  mutating func follow(_ core: PeerCore, at now: Instant) -> Effect {
    var effect = Effect()
    let ensemble = core.ensemble
    for line in lines(of: core) where !has(line) {
      guard let digest = line.digest, let score = ensemble.score(digest), let plan = try? ScorePlan(line, in: score)
      else { continue }
      number &+= 1
      pending.append(line)
      worker.makeTable(number, of: plan, in: score)
    }
    if let digest = ensemble.schedule.score.next.digest, ensemble.role != .idle, digest != recorded,
      let score = ensemble.score(digest)
    {
      recorded = digest
      effect.begun = score.parts.map(\.name)
    }
    setPlan(core, at: now)
    if let digest = ensemble.scoreDigest, digest != leveled, let score = ensemble.score(digest) {
      (leveled, levels) = (digest, ScoreLevels())
      for (part, level) in wanted where setLevel(level, ofPart: part, in: score) == nil {
        let line = "--score-part \(part): the score has no such part; give one of: \(score.partList)"
        effect.notices.append(Notice(line, .warning, .patches, of: "the score"))
      }
      effect.levels = levels
    }
    if let master = ensemble.role.master, let digest = ensemble.schedule.score.next.digest,
      ensemble.score(digest) == nil,
      awaited != digest
    {
      awaited = digest
      let line =
        "the score of \(core.name(of: master)) is not here yet; this peer keeps time, and plays from the bar after its arrival"
      effect.notices.append(Notice(line, .notice, .patches, of: "the score"))
    }
    return effect
  }

  /// The score and its position at a tick; nil if there is no score.
  func status(in core: PeerCore, at tick: Tick) -> PeerSnapshot.ScoreStatus? {
    let ensemble = core.ensemble
    guard let digest = ensemble.scoreDigest else { return nil }
    let score = ensemble.score(digest)
    let played = plan.flatMap { plan in plan.bar(at: tick).map { plan.route.bars[$0.index] } }
    return PeerSnapshot.ScoreStatus(
      name: name(of: digest, score), isHere: score != nil, bar: played.flatMap { score?.bars[$0.bar].number },
      lastBar: score?.bars.last?.number ?? "", pass: played?.pass ?? 1, isLoop: plan?.isLoop ?? false,
      playsRhythm: ensemble.playsRhythmBesideScore)
  }

  /// The score on the music stands; nil if there is none.
  func stand(in core: PeerCore, at tick: Tick) -> PeerSnapshot.Stand? {
    let (ensemble, score) = (core.ensemble, core.ensemble.schedule.score)
    let isIdle = ensemble.role == .idle
    guard let digest = isIdle ? ensemble.scoreDigest : score[tick].digest ?? score.next.digest else { return nil }
    var lines: [PeerSnapshot.Stand.Line] = []
    if isIdle {
      if let line = ensemble.startLine { lines.append(PeerSnapshot.Stand.Line(tick: line.origin, line: line)) }
    } else {
      // The present line applies already.
      lines.append(PeerSnapshot.Stand.Line(tick: Tick(.min), line: score[tick]))
      if score.tick > tick, score.isChanging {
        lines.append(PeerSnapshot.Stand.Line(tick: score.tick, line: score.next))
      }
      lines.removeAll { $0.line.digest != digest }
    }
    let content = ensemble.score(digest)
    let percents = (content?.parts.indices).map { $0.map { Int(levels[$0]) * 100 / ScoreLevels.unchanged } } ?? []
    return PeerSnapshot.Stand(
      digest: digest, name: name(of: digest, content), score: content, levels: percents, lines: lines)
  }

  /// Sets the level of a part of the score that plays, or with which this peer would start.
  mutating func setLevel(_ level: ScorePartLevel, ofPart part: String, in core: PeerCore) throws(CommandError) -> Notice
  {
    guard let score = core.ensemble.scoreDigest.flatMap({ core.ensemble.score($0) }) else { throw .noScore }
    guard let name = setLevel(level, ofPart: part, in: score) else {
      return Notice("score-part \(part): no such part; give one of: \(score.partList)")
    }
    switch level {
    case .only: return Notice("score: only \(name) sounds at this peer")
    case .percent(0): return Notice("score: \(name) is silent at this peer")
    case .percent(let percent): return Notice("score: \(name) at \(percent) % at this peer")
    }
  }

  /// Returns the name of the part; nil if there is no such part.
  private mutating func setLevel(_ level: ScorePartLevel, ofPart name: String, in score: Score) -> String? {
    guard let index = score.part(called: name) else { return nil }
    switch level {
    case .percent(let percent): levels[index] = UInt8(min(max(percent, 0), 100) * ScoreLevels.unchanged / 100)
    case .only: for part in score.parts.indices { levels[part] = part == index ? UInt8(ScoreLevels.unchanged) : 0 }
    }
    return score.parts[index].name
  }

  /// The lines whose tables the clock thread needs: those of the schedule, or that of the next start.
  private func lines(of core: PeerCore) -> [ScoreLine] {
    let (ensemble, score) = (core.ensemble, core.ensemble.schedule.score)
    guard ensemble.role == .idle else { return [score.value, score.next].filter { $0.digest != nil } }
    return ensemble.expectedLines
  }

  private func has(_ line: ScoreLine) -> Bool {
    (places.compactMap { $0 } + pending).contains { ScoreLine.playSameBars($0, line) }
  }

  /// A place whose table is not one of the needed ones.
  private func freePlace(for needed: [ScoreLine]) -> Int? {
    places.firstIndex { place in
      guard let place else { return true }
      return !needed.contains { ScoreLine.playSameBars($0, place) }
    }
  }

  private mutating func setPlan(_ core: PeerCore, at now: Instant) {
    let schedule = core.ensemble.schedule
    let line =
      core.ensemble.role == .idle ? core.ensemble.startLine ?? .none : schedule.score[schedule.tick(at: now)]
    guard plan?.line != line else { return }
    plan = line.digest.flatMap { core.ensemble.score($0) }.flatMap { try? ScorePlan(line, in: $0) }
  }
}

extension Score {
  /// The title that is shown to the player; nil if the score has none.
  var displayTitle: String? { [title, movement].first { !$0.isEmpty } }
}
