import MIDI
import MusicalTime
import Playback
import Rhythm
import Testing

@testable import Engine

/// Tests of ``PhraseDriver``, which repeats a phrase, on virtual time.
@Suite struct PhraseDriverTests {
  private static let origin = Instant(nanoseconds: 1_000_000_000)

  /// Settings with a rhythm of 120 BPM, whose first tick is due at the origin, and a phrase of one bar (2 s): a note of one beat (500 ms)
  /// on the first and the third beat. If `run` is 0, no rhythm plays.
  private func settings(run: UInt32 = 1, end: Tick = Tick(.max), number: UInt32 = 1, key: UInt8 = 60) throws
    -> InstrumentSettings
  {
    var settings = InstrumentSettings()
    let notes = [0, 8].map { Phrase.Note(step: $0, key: key, velocity: 99, length: 4) }
    (settings.phraseNumber, settings.phrase) = (number, PhraseTable(try #require(Phrase(stepCount: 16, notes: notes))))
    settings.lead = .milliseconds(50)
    settings.schedule = PlaybackSchedule(
      run: run, sends: true, start: Tick(0), end: end,
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Self.origin)))
    return settings
  }

  /// A message that the driver has returned, and when it takes effect.
  private struct Played: Equatable {
    let message: Message
    let due: Instant
  }

  /// Runs the driver until `end`. Like the network thread, it wakes at the deadlines of the driver, and at least every 100 ms.
  private func run(_ driver: inout PhraseDriver, from start: Instant, until end: Instant) -> [Played] {
    var (now, played) = (start, [Played]())
    while now <= end {
      while let output = driver.next(at: now) {
        // The lead of 50 ms, and a margin for rounding.
        #expect(output.instant ?? now <= now + .milliseconds(51))
        played.append(Played(message: output.message, due: output.instant ?? now))
      }
      let next = min(driver.nextDeadline, now + .milliseconds(100))
      guard next > now else {
        Issue.record("the deadline has passed")
        break
      }
      now = next
    }
    return played
  }

  /// The times after the origin at which notes begin.
  private func beginnings(_ played: [Played]) -> [Nanoseconds] {
    played.filter { $0.message.startsNote }.map { $0.due - Self.origin }
  }

  /// The notes are exactly on the beats. They are on channel 1, the input channel of instruments, which belongs to no player. The phrase
  /// ends with the rhythm.
  @Test func phraseFollowsTheRhythm() throws {
    var driver = PhraseDriver()
    driver.adopt(try settings(end: Tick(24 * 9)), at: Self.origin)
    let played = run(&driver, from: Self.origin, until: Self.origin + .seconds(10))
    #expect(beginnings(played) == [0, 1000, 2000, 3000, 4000].map { .milliseconds($0) })
    #expect(played.allSatisfy { $0.message.channel == Channel(wire: 0) })
    #expect(played.count == 10 && played.last?.due == Self.origin + .milliseconds(4500))
    #expect(driver.nextDeadline == .distantFuture)
  }

  /// The phrase is silent without a rhythm. In a rhythm that already plays, the phrase begins at the present place of the bar. At 3100 ms,
  /// the note on the third beat of the second bar (3000 ms) has passed.
  @Test func phraseBeginsWhereTheRhythmIs() throws {
    var driver = PhraseDriver()
    var settings = try settings(run: 0)
    driver.adopt(settings, at: Self.origin)
    let silence = run(&driver, from: Self.origin, until: Self.origin + .seconds(3))
    #expect(silence.isEmpty)
    settings = try self.settings(run: 1)
    driver.adopt(settings, at: Self.origin + .milliseconds(3100))
    let played = run(&driver, from: Self.origin + .milliseconds(3100), until: Self.origin + .milliseconds(5500))
    #expect(beginnings(played) == [.milliseconds(4000), .milliseconds(5000)])
  }

  /// When another run continues the rhythm, no note is repeated or omitted. Another phrase replaces the first phrase at once.
  @Test func phraseContinuesAndChanges() throws {
    var driver = PhraseDriver()
    var settings = try settings()
    driver.adopt(settings, at: Self.origin)
    var played = run(&driver, from: Self.origin, until: Self.origin + .milliseconds(1490))
    // `firstRun` remains 1, so run 2 continues run 1.
    settings.schedule.run = 2
    driver.adopt(settings, at: Self.origin + .milliseconds(1490))
    played += run(&driver, from: Self.origin + .milliseconds(1490), until: Self.origin + .milliseconds(3200))
    #expect(beginnings(played) == [0, 1000, 2000, 3000].map { .milliseconds($0) })
    var other = try self.settings(number: 2, key: 72)
    other.schedule = settings.schedule
    let change = Self.origin + .milliseconds(3200)
    driver.adopt(other, at: change)
    played = run(&driver, from: change, until: Self.origin + .milliseconds(4200))
    #expect(played.first == Played(message: .noteOff(Channel(wire: 0), key: 60, velocity: 64), due: change))
    #expect(played.contains { $0.message.startsNote && $0.message.key == 72 })
  }

  /// The phrase is removed after the driver has returned a note in advance. The end of this note is due at its beginning, and no other
  /// note follows.
  @Test func endOfThePhraseLeavesNoNote() throws {
    var driver = PhraseDriver()
    var settings = try settings()
    driver.adopt(settings, at: Self.origin)
    let now = Self.origin + .milliseconds(960)
    var played = run(&driver, from: Self.origin, until: now)
    #expect(beginnings(played).last == .milliseconds(1000))
    settings.phrase = nil
    driver.adopt(settings, at: now)
    played = run(&driver, from: now, until: now + .seconds(5))
    #expect(played.map(\.message.silencesNote) == [true] && played[0].due == Self.origin + .seconds(1))
  }
}

extension PhraseDriver {
  /// Repeats the phrase of the local player.
  fileprivate mutating func adopt(_ settings: InstrumentSettings, at now: Instant) {
    adopt(settings.phrase, number: settings.phraseNumber, settings, at: now)
  }
}
