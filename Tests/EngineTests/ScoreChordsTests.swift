import MusicalTime
import PeerProtocol
import Playback
import Rhythm
import Scores
import Testing

@testable import Engine

/// The chord symbols of a score along its route. The bars have four quarter notes, which are 16 steps.
@Suite struct ScoreChordsTests {
  private static let digest = DocumentDigest(high: 1, low: 2)

  /// A score with one chord symbol in each bar, at its beginning; none in a bar with nil.
  private func score(_ roots: [Int?], repeatsFirst: Int = 0, semitones: Int? = nil) -> Score {
    var score = Score()
    var part = Scores.Part(name: "Lead", instruments: [.init(name: "a")])
    for (index, root) in roots.enumerated() {
      var bar = Bar(number: "\(index + 1)", length: Fraction(4))
      if repeatsFirst > 0, index == repeatsFirst - 1 { bar.repeatEnd = Bar.Repeat() }
      score.bars.append(bar)
      var content = PartBar()
      if let root, let letter = ChordSymbol.Root(step: root, alteration: 0) {
        content.symbols = [ChordSymbol(offset: .zero, root: letter, kind: .major)]
      }
      if index == 0, let semitones, let interval = Interval(steps: -1, semitones: semitones) {
        content.changes = [Change(offset: .zero, staff: 0, .transposition(interval))]
      }
      part.bars.append(content)
    }
    score.parts = [part]
    return score
  }

  private func schedule(_ line: ScoreLine, next: ScoreLine? = nil, at tick: Tick = Tick(.max)) -> PlaybackSchedule {
    PlaybackSchedule(
      run: 1, sends: true, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Instant(nanoseconds: 0))),
      score: next.map { ChangingValue(line, next: $0, from: tick) } ?? ChangingValue(line))
  }

  private func follow(_ chords: inout ScoreChords, _ schedule: PlaybackSchedule, at tick: Tick, _ score: Score?) -> Bool
  {
    chords.follow(schedule, at: tick, scores: { _ in score })
  }

  /// The roots and the steps of the window of the chords from a tick on.
  private func window(_ chords: ScoreChords, from tick: Int64, origin: Int64 = 0) -> [String]? {
    chords.window(from: Tick(tick), origin: Tick(origin)).map { window in
      window.changes.map { "\(window.phrases[$0.phrase][$0.index].root)@\($0.step)" }
        + (window.end.map { ["end@\($0)"] } ?? [])
    }
  }

  @Test func chordsFollowTheRoute() {
    var chords = ScoreChords()
    let score = score([0, nil, 4, 0], repeatsFirst: 2)
    #expect(follow(&chords, schedule(ScoreLine(Self.digest)), at: Tick(0), score) == true)
    // C for two bars, which are repeated; G and C.
    #expect(window(chords, from: 0) == ["0@0", "0@32", "7@64", "0@80"])
    // The chord in force begins at once.
    #expect(window(chords, from: 120) == ["0@0", "0@12", "7@44", "0@60"])
    // Steps count from the origin of the rhythm, and the window begins at the present step.
    #expect(window(chords, from: 192, origin: 96) == ["0@0", "7@32", "0@48"])
    #expect(follow(&chords, schedule(ScoreLine(Self.digest)), at: Tick(500), score) == false)
  }

  @Test func loopRepeatsItsChords() {
    var chords = ScoreChords()
    let score = score([0, 4, 3])
    var line = ScoreLine(Self.digest, from: Tick(96))
    (line.bar, line.loopEnd) = (1, 3)
    #expect(follow(&chords, schedule(line), at: Tick(96), score) == true)
    #expect(window(chords, from: 96)?.prefix(5) == ["7@0", "5@16", "7@32", "5@48", "7@64"])
    let later = window(chords, from: 96 + 192 * 100 + 100)
    #expect(later?.prefix(3) == ["5@0", "7@16", "5@32"] && later?.count == ChordProgression.maximumChords)
    // Before the window ends, another one follows.
    #expect(follow(&chords, schedule(line), at: Tick(96 * 30), score) == false)
    #expect(follow(&chords, schedule(line), at: Tick(96 * 40), score) == true)
  }

  /// A score without chord symbols follows: the rhythm then plays its own chords. The chords of a transposing part sound.
  @Test func chordsBeginAndEndWithTheirLine() {
    var chords = ScoreChords()
    let score = score([0, 4], semitones: -2)
    let change = schedule(.none, next: ScoreLine(Self.digest, from: Tick(192)), at: Tick(192))
    #expect(follow(&chords, change, at: Tick(96), score) == true)
    #expect(window(chords, from: 96) == ["10@16", "5@32"])
    let end = schedule(ScoreLine(Self.digest), next: ScoreLine.none, at: Tick(144))
    #expect(follow(&chords, end, at: Tick(96), score) == true)
    #expect(window(chords, from: 96) == ["5@0", "end@8"])
    #expect(follow(&chords, end, at: Tick(144), score) == true)
    #expect(window(chords, from: 144) == nil)
  }

  /// The tables are made again when the score arrives, and when another run begins.
  @Test func arrivalOfTheScoreRenewsTheChords() {
    var chords = ScoreChords()
    let score = score([0])
    var schedule = schedule(ScoreLine(Self.digest))
    #expect(follow(&chords, schedule, at: Tick(0), nil) == false)
    #expect(window(chords, from: 0) == nil)
    #expect(follow(&chords, schedule, at: Tick(0), score) == true)
    schedule.firstRun = 7
    #expect(follow(&chords, schedule, at: Tick(0), score) == true)
  }

  @Test(arguments: [
    ("Am7", [ChordSymbol.Degree](), [0, 4, 7, 9]),
    ("add9", [.init(number: 9, alteration: 0, effect: .add)], [0, 4, 7, 9, 11]),
    ("b5", [.init(number: 5, alteration: -1, effect: .alter)], [0, 3, 7, 9]),
    ("no3", [.init(number: 3, alteration: 0, effect: .subtract)], [4, 7, 9]),
  ])
  func degreesChangeTheNotes(name: String, degrees: [ChordSymbol.Degree], pitchClasses: [Int]) throws {
    let root = try #require(ChordSymbol.Root(step: 5, alteration: 0))
    let symbol = ChordSymbol(offset: .zero, root: root, kind: .minorSeventh, degrees: degrees)
    // The macro does not take a function of a module.
    let read = Rhythm.Chord(symbol, transposedBy: 0)
    let chord = try #require(read)
    #expect((0..<12).filter { chord.tones.contains(UInt8($0)) } == pitchClasses, "\(name)")
    let silence = Rhythm.Chord(ChordSymbol(offset: .zero, root: root, kind: .none), transposedBy: 0)
    #expect(silence == nil)
  }
}
