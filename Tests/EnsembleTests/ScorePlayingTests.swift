import MusicalTime
import PeerProtocol
import Playback
import Scores
import Testing
import _TestSupport

@testable import Ensemble

/// Scores on the timeline: all peers are at the same written bar at the same tick, with the bars and the tempo of the score.
@Suite struct ScorePlayingTests {
  /// A score of these bars. Its metres are 4/4, 3/4, 7/8 and 5/32 in turn, unless all bars have 4/4. Bar 3 has a ritardando, bar 5 another tempo.
  private static func score(_ text: String, changesMetre: Bool = false) -> Score {
    var score = bars(text)
    let metres = [(4, 4), (3, 4), (7, 8), (5, 32)].map { Metre([.init(beats: [$0.0], unit: $0.1)])! }
    if changesMetre {
      for bar in score.bars.indices {
        score.bars[bar].metre = metres[bar % 4]
        score.bars[bar].length = metres[bar % 4].length
      }
      for part in score.parts.indices { score.parts[part].bars = score.bars.map { _ in PartBar() } }
    }
    score.tempoMarks = [TempoMark(bar: 0, offset: .zero, .tempo(150_000))]
    if score.bars.count > 5 {
      score.tempoMarks += [
        TempoMark(bar: 2, offset: .zero, .ritardando), TempoMark(bar: 4, offset: .zero, .tempo(100_000)),
      ]
    }
    return score
  }

  /// What a player plays at a tick, and what the ensemble announces for it.
  private struct Moment: Equatable {
    var tick: Tick
    /// The index of the written bar, and the ticks since its beginning.
    var bar: Int
    var offset: Int64
    var tempo: Tempo
    /// The bar line of the grid before the tick.
    var line: Tick
  }

  /// Plays for a time, and returns for each player one moment per tick.
  private static func play(_ band: inout VirtualBand, for length: Nanoseconds) -> [[Tick: Moment]] {
    var moments = band.players.map { _ in [Tick: Moment]() }
    var plans: [ScoreLine: ScorePlan] = [:]
    let end = band.now + length
    while band.now < end {
      band.play(for: .milliseconds(20))
      for n in band.players.indices where band.players[n].isAlive && band.role(n) != .idle {
        let schedule = band.players[n].ensemble.schedule
        let tick = schedule.tick(at: band.localTime(of: n))
        guard moments[n][tick] == nil, tick >= schedule.start, tick < schedule.end else { continue }
        let line = schedule.score[tick]
        guard let score = line.digest.flatMap({ band.players[n].ensemble.score($0) }) else { continue }
        if plans[line] == nil { plans[line] = try? ScorePlan(line, in: score) }
        guard let plan = plans[line], let bar = plan.bar(at: tick) else { continue }
        moments[n][tick] = Moment(
          tick: tick, bar: plan.written(bar), offset: tick - bar.tick, tempo: schedule.tempo(at: tick),
          line: schedule.grid[tick].line(notAfter: tick))
      }
    }
    return moments
  }

  /// The names of the written bars in the order in which a player has played them.
  private static func names(_ moments: [Tick: Moment], _ score: Score) -> String {
    var names = ""
    var last: (bar: Int, begin: Tick)?
    for moment in moments.values.sorted(by: { $0.tick < $1.tick }) {
      let begin = moment.tick + -moment.offset
      if last.map({ $0.bar != moment.bar || $0.begin != begin }) ?? true { names += score.bars[moment.bar].number }
      last = (moment.bar, begin)
    }
    return names
  }

  private static func band(_ count: Int, _ score: Score, seed: UInt64, loss: Double = 0) throws -> VirtualBand {
    var band = VirtualBand(players: count, seed: seed, loss: loss, activity: [], joined: false)
    band.joinAll()
    band.play(for: .seconds(2))
    try band.choose(score, by: 0)
    return band
  }

  private static func expectEqual(_ moments: [[Tick: Moment]], _ comment: Comment) {
    for n in moments.indices.dropFirst() {
      let (first, other) = (moments[0], moments[n])
      let differences = other.values.filter { moment in
        first[moment.tick].map { $0.bar != moment.bar || $0.offset != moment.offset } ?? false
      }
      #expect(differences.isEmpty, comment)
    }
  }

  // MARK: Start and end

  @Test(arguments: UInt64(1)...12) func allPlayTheScoreAsWritten(seed: UInt64) throws {
    let score = Self.score("a |:b c d [1:e]:| [2:f) g", changesMetre: true)
    try score.validate()
    var band = try Self.band(3, score, seed: seed, loss: 0.03)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let moments = Self.play(&band, for: .seconds(24))
    #expect(band.masters.isEmpty, "seed \(seed): the rhythm ends with the score")
    let route = try Route(score)
    let path = TempoPath(score, along: route)
    for n in 0...2 {
      #expect(Self.names(moments[n], score) == score.names(route), "seed \(seed), player \(n)")
      for moment in moments[n].values {
        let expected = path.changes[path.index(at: moment.tick)].tempo
        #expect(moment.tempo == expected, "seed \(seed), player \(n), tick \(moment.tick.index)")
        #expect(moment.line == moment.tick + -moment.offset, "seed \(seed), player \(n), tick \(moment.tick.index)")
      }
    }
    Self.expectEqual(moments, "seed \(seed)")
    for n in 0...2 { #expect(band.faults(n) == [], "seed \(seed)") }
  }

  /// A peer that joins while the score plays gets it, and plays from the next bar on.
  @Test func lateJoinerGetsTheScore() throws {
    let score = Self.score("a b c d e f g h i j k l")
    var band = VirtualBand(players: 3, seed: 5, activity: [], joined: false)
    band.joinEachOther(0, 1)
    band.play(for: .seconds(2))
    try band.choose(score, by: 0)
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .seconds(3))
    band.joinEachOther(0, 2)
    band.joinEachOther(1, 2)
    let moments = Self.play(&band, for: .seconds(6))
    #expect(!moments[2].isEmpty)
    Self.expectEqual(moments, "")
  }

  /// The master disappears in the ritardando. The next master continues the tempo, the bars and the end.
  @Test(arguments: UInt64(1)...8) func scoreSurvivesItsMaster(seed: UInt64) throws {
    let score = Self.score("a b c d e f g h", changesMetre: true)
    var band = try Self.band(3, score, seed: seed)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    var moments = Self.play(&band, for: .milliseconds(3500 + Int64(seed) * 100))
    band.crash(0)
    // The announced tempos last for four eighth notes at least. Until another peer takes over, the last of them stays.
    let between = Self.play(&band, for: .milliseconds(2500))
    let later = Self.play(&band, for: .seconds(12))
    for n in 1...2 {
      moments[n].merge(between[n]) { a, _ in a }
      moments[n].merge(later[n]) { a, _ in a }
    }
    Self.expectEqual([moments[1], moments[2]], "seed \(seed)")
    let path = TempoPath(score, along: try Route(score))
    for n in 1...2 {
      #expect(Self.names(moments[n], score) == "abcdefgh", "seed \(seed)")
      for moment in later[n].values {
        // The new master plays the written tempo by its own clock.
        let expected = path.changes[path.index(at: moment.tick)].tempo.nanosecondsPerQuarter
        let distance = abs(moment.tempo.nanosecondsPerQuarter - expected)
        #expect(distance <= expected / 1000, "seed \(seed), tick \(moment.tick.index)")
      }
    }
    #expect(band.masters.isEmpty && band.role(1) == .idle, "seed \(seed)")
  }

  // MARK: The leader's changes

  /// The bars that all players play if the leader executes a command while a bar sounds.
  private static func names(
    after bar: Int, of text: String, for seconds: Int64 = 12,
    _ command: (inout EnsembleState, Instant) throws -> Void
  ) throws -> String {
    let score = Self.score(text)
    var band = try Self.band(2, score, seed: 3)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    // A bar lasts 1.6 s. The command comes in its middle.
    var moments = play(&band, for: .milliseconds(100 + 1600 * Int64(bar) + 800))
    try band.command(0, command)
    let later = play(&band, for: .seconds(seconds))
    for n in 0...1 { moments[n].merge(later[n]) { a, _ in a } }
    expectEqual(moments, "")
    let played = names(moments[0], score)
    #expect(names(moments[1], score) == played)
    return played
  }

  @Test func leaderJumpsAtTheNextBarLine() throws {
    let played = try Self.names(after: 1, of: "a b c d e") { try $0.go(toBar: 3, at: $1) }
    #expect(played == "abde")
  }

  @Test func loopGoesOnInsideItsBars() throws {
    let played = try Self.names(after: 1, of: "a b c d e", for: 8) { try $0.loop(1..<3, at: $1) }
    #expect(played.hasPrefix("abcbcbc"), "\(played)")
  }

  @Test func loopElsewhereBeginsAtTheNextBarLine() throws {
    let played = try Self.names(after: 0, of: "a b c d e", for: 8) { try $0.loop(2..<4, at: $1) }
    #expect(played.hasPrefix("acdcdc"), "\(played)")
  }

  @Test func vampRepeatsTheBarThatPlays() throws {
    let played = try Self.names(after: 1, of: "a b c d e", for: 6) { try $0.loop(nil, at: $1) }
    #expect(played.hasPrefix("abbbb"), "\(played)")
  }

  /// After a vamp in the second pass, the repeat is not taken again.
  @Test func musicGoesOnAfterTheLoop() throws {
    let score = Self.score("|:a b:| c")
    var band = try Self.band(2, score, seed: 3)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    var moments = Self.play(&band, for: .milliseconds(100 + 1600 * 2 + 800))
    try band.command(0) { try $0.loop(nil, at: $1) }
    for (length, ends) in [(Int64(3200), true), (9000, false)] {
      let more = Self.play(&band, for: .milliseconds(length))
      for n in 0...1 { moments[n].merge(more[n]) { a, _ in a } }
      if ends { try band.command(0) { try $0.endLoop(at: $1) } }
    }
    #expect(Self.names(moments[0], score) == "abaaabc")
    #expect(Self.names(moments[1], score) == "abaaabc")
    #expect(band.masters.isEmpty)
  }

  @Test func leaderTakesTheSecondEnding() throws {
    let played = try Self.names(after: 0, of: "|:a b [1:c]:| [2:d) e") { try $0.takeEnding(2, at: $1) }
    #expect(played == "abde")
  }

  @Test func commandsWithoutAScoreAreRefused() throws {
    var band = try VirtualBand.playing(2, seed: 6)
    #expect(throws: CommandError.noScore) { try band.command(0) { try $0.go(toBar: 1, at: $1) } }
    #expect(throws: CommandError.noScore) { try band.command(0) { try $0.endLoop(at: $1) } }
    #expect(throws: CommandError.noSuchEnding(2)) { try band.command(0) { try $0.takeEnding(2, at: $1) } }
    let other = try Self.band(2, Self.score("a b"), seed: 7)
    band = other
    #expect(throws: CommandError.noSuchBar(count: 2)) { try band.command(0) { try $0.go(toBar: 2, at: $1) } }
  }

  /// The leader's tempo multiplies that of the score, also in the ritardando.
  @Test func tempoOfTheLeaderMultipliesTheWrittenTempo() throws {
    let score = Self.score("a b c d e f g h")
    var band = try Self.band(2, score, seed: 9)
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .milliseconds(600))
    try band.command(0) { try $0.change(tempo: Tempo(bpm: 300), at: $1) }
    band.play(for: .milliseconds(200))
    let moments = Self.play(&band, for: .seconds(12))
    let path = TempoPath(score, along: try Route(score))
    for n in 0...1 {
      #expect(moments[n].count > 200)
      for moment in moments[n].values {
        let written = path.changes[path.index(at: moment.tick)].tempo.nanosecondsPerQuarter
        #expect(abs(moment.tempo.nanosecondsPerQuarter - written / 2) <= 1, "tick \(moment.tick.index)")
      }
    }
    #expect(band.masters.isEmpty)
  }

  /// While a rhythm plays, a score of 35 kB reaches 16 players, because all players that have it serve it: within 3 s on a lan, and within
  /// 6 s on a Wi-Fi network that loses 3 % of the packets. A score of 200 kB reaches all, too: a player that waits keeps its parts.
  @Test(arguments: [35_000, 200_000], [false, true])
  func longScoreReachesSixteenPlayers(length: Int, isWireless: Bool) throws {
    let (loss, limit) = isWireless ? (0.03, Int64(length / 5833)) : (0, Int64(length / 11_666))
    var random = SplitMix(seed: 3)
    let document = Document(.score, (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })!
    // The ensemble does not read the octets.
    let score = Self.score("a b c d e f g h i j k l")
    var band = VirtualBand(players: 17, seed: 3, loss: loss, activity: [], joined: false)
    band.delay = isWireless ? 3_000_000...7_000_000 : 100_000...900_000
    band.joinAll()
    band.play(for: .seconds(2))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.play(for: .seconds(2))
    try band.command(0) { try $0.choose((score, document), playsRhythm: false, at: $1) }
    let end = band.now + .seconds(limit)
    var missing = Set(1...16)
    while !missing.isEmpty, band.now < end {
      band.run(for: .milliseconds(20))
      for n in missing where band.players[n].ensemble.document(document.digest) != nil {
        band.players[n].ensemble.accept(document.digest, score, at: band.localTime(of: n))
        missing.remove(n)
      }
    }
    #expect(missing.isEmpty, "\((end - band.now).milliseconds) ms are left")
  }

  /// A start at a bar has the position of the bar in the whole score.
  @Test func startAtABar() throws {
    let score = Self.score("a |:b c:| d e")
    var band = try Self.band(2, score, seed: 11)
    band.play(for: .seconds(1))
    try band.command(0) { try $0.go(toBar: 3, at: $1) }
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    let moments = Self.play(&band, for: .seconds(6))
    for n in 0...1 {
      #expect(Self.names(moments[n], score) == "de")
      #expect(moments[n].keys.min().map { (Tick(5 * 96)..<Tick(5 * 96 + 6)).contains($0) } == true)
    }
  }
}

extension VirtualBand {
  /// A player chooses a score.
  mutating func choose(_ score: Score, by n: Int) throws {
    let document = Document(.score, score.octets)!
    try command(n) { try $0.choose((score, document), playsRhythm: false, at: $1) }
  }
}
