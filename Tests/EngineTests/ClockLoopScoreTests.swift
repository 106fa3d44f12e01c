import Audio
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import Sending
import Testing

@testable import Engine

/// Tests of the notes of a score in the events that the clock loop passes to the sound. The timeline of ``VirtualRhythm`` has ticks of 20 ms
/// and bars of 96 ticks. Steps are passed to the sound 50 ms ahead. Times are in milliseconds after the origin.
@Suite struct ClockLoopScoreTests: ClockLoopSuite {
  private static let digest = DocumentDigest(high: 1, low: 2)

  /// Removes and returns the events of the score, as texts: `key at start-end`, `release at`, `mute part at`, `recall`.
  private func events(_ rings: ClockRings) -> [String] {
    func time(_ instant: Instant) -> String { "\(Int((instant - VirtualRhythm.origin).milliseconds))" }
    var list: [String] = []
    while let event = rings.sound.first.hits.pop() {
      switch event.kind {
      case .scoreNote(let key, _, _, _): list.append("\(key) \(time(event.instant))-\(time(event.end))")
      case .releaseScore: list.append("release \(time(event.instant))")
      case .muteScorePart(let part): list.append("mute \(part) \(time(event.instant))")
      case .recall: list.append("recall")
      default: break
      }
    }
    return list
  }

  /// Notes of a key per quarter note: 60, 61 and so on, each half a quarter note (240 ms) long, and each in its own part.
  private func table(
    _ line: ScoreLine, number: UInt32 = 1, quarters: Int64 = 16, from key: UInt8 = 60, loop: Int64 = 0
  ) -> ScoreTable {
    let notes = (0..<quarters).map {
      ScoreNote(at: $0 * 24_000, length: 12_000, part: UInt8($0), key: key + UInt8($0))
    }
    return ScoreTable(number: number, line: line, notes: notes, loopLength: loop)
  }

  private func schedule(_ line: ScoreLine, then next: ScoreLine? = nil, end: Int64 = 960) -> PlaybackSchedule {
    var schedule = VirtualRhythm.schedule(end: end)
    schedule.score = next.map { ChangingValue(line, next: $0, from: $0.origin) } ?? ChangingValue(line)
    return schedule
  }

  @Test func notesSoundAtTheirInstants() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, playsRhythm: true)
      let notes = [
        ScoreNote(at: 0, length: 24_000, key: 60), ScoreNote(at: 7_250, length: 500, key: 64),
        ScoreNote(at: 7_250, length: 1, key: 67),
      ]
      let table = ScoreTable(number: 1, line: line, notes: notes, loopLength: 0)
      defer { table.notes.free() }
      rings.scores.0.publish(table)
      rings.schedule.publish(schedule(line, end: 96))
      loop.play(from: .milliseconds(-60), to: .milliseconds(40))
      // Each step is passed 50 ms before it begins. The end is at the end of the note.
      #expect(events(rings) == ["60 0-480"])
      loop.play(from: .milliseconds(41), to: .milliseconds(200))
      #expect(events(rings) == ["64 145-155", "67 145-145"])
      #expect(rings.counters.take()?.scoreTables.0 == 1)
    }
  }

  /// The score begins at tick 24, in the middle of the bar, because its table is there in time. The rhythm falls silent.
  @Test func scoreReplacesTheRhythm() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, from: Tick(24), playsRhythm: false)
      let table = table(line)
      defer { table.notes.free() }
      rings.scores.1.publish(table)
      rings.schedule.publish(schedule(.none, then: line))
      var kicks: [Int64] = []
      var notes: [Int64] = []
      loop.play(from: .milliseconds(-60), to: .milliseconds(1400))
      while let event = rings.sound.first.hits.pop() {
        let time = (event.instant - VirtualRhythm.origin).count / 1_000_000
        if case .hit = event.kind { kicks.append(time) }
        if case .scoreNote = event.kind { notes.append(time) }
      }
      #expect(kicks == [0] && notes == [480, 960, 1440])
    }
  }

  /// At tick 48, in the middle of a long note of the old line, the other line begins: a jump. The note ends, also if the line changes in the
  /// middle of a step (tick 51).
  @Test(arguments: [48, 51] as [Int64]) func notesOfTheOldLineEndAtAJump(change: Int64) throws {
    try withLoop { loop, rings, _, _ in
      let (old, new) = (
        ScoreLine(Self.digest, playsRhythm: true),
        ScoreLine(Self.digest, from: Tick(change), bar: 7, playsRhythm: true, isAfterJump: true)
      )
      let long = ScoreTable(
        number: 1, line: old, notes: [ScoreNote(at: 24_000, length: 96_000), ScoreNote(at: 48_000, key: 61)],
        loopLength: 0)
      let next = table(new, number: 2, from: 80)
      defer {
        long.notes.free()
        next.notes.free()
      }
      rings.scores.0.publish(long)
      rings.scores.1.publish(next)
      rings.schedule.publish(schedule(old, then: new))
      loop.play(from: .milliseconds(-60), to: .milliseconds(1300))
      let old61 = change == 51 ? ["61 960-970"] : []
      #expect(
        events(rings) == ["60 480-2400"] + old61 + ["release \(change * 20)", "80 \(change * 20)-\(change * 20 + 240)"])
    }
  }

  /// Notes are passed to the sound one second ahead. The jump at tick 48 (960 ms) is announced at 500 ms, when the steps up to 1500 ms have
  /// been passed. These are recalled and passed again, with the release.
  @Test func lateJumpRecallsNotesAndReleases() throws {
    try withLoop { loop, rings, _, _ in
      rings.commands.push(.soundLead(.seconds(1)))
      let (old, new) = (
        ScoreLine(Self.digest, playsRhythm: true), ScoreLine(Self.digest, from: Tick(48), bar: 7, playsRhythm: true)
      )
      let later = ScoreLine(Self.digest, from: Tick(48), bar: 9, playsRhythm: true)
      let tables = [table(old), table(new, number: 2, from: 80), table(later, number: 3, from: 100)]
      defer { for table in tables { table.notes.free() } }
      rings.scores.0.publish(tables[0])
      rings.scores.1.publish(tables[1])
      rings.schedule.publish(schedule(old))
      loop.play(from: .milliseconds(-1000), to: .milliseconds(500))
      #expect(events(rings) == ["60 0-240", "61 480-720", "62 960-1200", "63 1440-1680"])
      rings.schedule.publish(schedule(old, then: new))
      loop.play(from: .milliseconds(501), to: .milliseconds(510))
      #expect(events(rings) == ["recall", "release 960", "80 960-1200", "81 1440-1680"])
      // The leader changes the target of the jump.
      rings.scores.1.publish(tables[2])
      rings.schedule.publish(schedule(old, then: later))
      loop.play(from: .milliseconds(511), to: .milliseconds(520))
      #expect(events(rings) == ["recall", "release 960", "100 960-1200", "101 1440-1680"])
    }
  }

  /// Two quarter notes repeat. After the loop, another line begins.
  @Test func loopRepeats() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, bar: 2, loopEnd: 3, playsRhythm: true)
      let table = table(line, quarters: 2, loop: 48_000)
      defer { table.notes.free() }
      rings.scores.0.publish(table)
      rings.schedule.publish(schedule(line, then: ScoreLine(nil, from: Tick(120))))
      loop.play(from: .milliseconds(-60), to: .milliseconds(3000))
      #expect(
        events(rings)
          == ["60 0-240", "61 480-720", "60 960-1200", "61 1440-1680", "60 1920-2160", "release 2400"])
    }
  }

  /// The table arrives at 500 ms. The score enters at the next bar line, at 1920 ms, with the notes of this place.
  @Test func lateScoreEntersAtABarLine() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, playsRhythm: true)
      let table = table(line)
      defer { table.notes.free() }
      rings.schedule.publish(schedule(line))
      loop.play(from: .milliseconds(-60), to: .milliseconds(500))
      rings.scores.0.publish(table)
      loop.play(from: .milliseconds(500), to: .milliseconds(2000))
      #expect(events(rings) == ["64 1920-2160"])
    }
  }

  /// Parts 1 and 2 are muted at 300 ms. Their next notes do not sound. Part 3 is at half its level.
  @Test func levelsMuteParts() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, playsRhythm: true)
      let table = table(line)
      defer { table.notes.free() }
      rings.scores.0.publish(table)
      rings.schedule.publish(schedule(line))
      loop.play(from: .milliseconds(-60), to: .milliseconds(300))
      #expect(events(rings) == ["60 0-240"])
      var levels = ScoreLevels()
      (levels[1], levels[2], levels[3]) = (0, 0, 50)
      rings.scoreLevels.publish(levels)
      loop.play(from: .milliseconds(300), to: .milliseconds(1300))
      #expect(events(rings) == ["mute 1 300", "mute 2 300"])
      loop.play(from: .milliseconds(1301), to: .milliseconds(1900))
      var velocities: [UInt8] = []
      while let event = rings.sound.first.hits.pop() {
        if case .scoreNote(_, let velocity, _, _) = event.kind { velocities.append(velocity) }
      }
      // The velocity in the score is 80.
      #expect(velocities == [40, 80])
    }
  }

  /// At the end of the rhythm, and when all players are quiet, the notes end.
  @Test func notesEndWithTheRhythmAndInSilence() throws {
    for isQuiet in [false, true] {
      try withLoop { loop, rings, _, _ in
        let line = ScoreLine(Self.digest, playsRhythm: true)
        let table = ScoreTable(
          number: 1, line: line, notes: [ScoreNote(at: 0, length: 900_000), ScoreNote(at: 48_000, key: 61)],
          loopLength: 0)
        defer { table.notes.free() }
        rings.scores.0.publish(table)
        var schedule = schedule(line, end: isQuiet ? 960 : 24)
        var quiet = Mix()
        quiet.isQuiet = true
        if isQuiet { schedule.mix = ChangingValue(Mix(), next: quiet, from: Tick(24)) }
        rings.schedule.publish(schedule)
        loop.play(from: .milliseconds(-60), to: .milliseconds(1500))
        #expect(events(rings) == ["60 0-18000", "release 480"], "quiet: \(isQuiet)")
      }
    }
  }

  /// An RTP-MIDI device plays part 1 on channel 3. It gets its program and each note at its instant, also if the part is silent at the peer.
  /// When the route ends, its notes end.
  @Test func deviceGetsTheNotesOfItsPart() throws {
    try withLoop { loop, rings, _, open in
      let receiver = try open(.playOnArrival)
      var ids = StreamIDAllocator()
      let channel = try #require(Channel(3))
      let program = Message.programChange(channel, program: UInt7(masking: 0))
      rings.scoreRoutes.publish(
        ScoreRoutes([ScoreRoutes.Route(part: 1, target: .stream(ids.allocate()), channel: channel)]))
      let line = ScoreLine(Self.digest)
      let notes = [
        ScoreNote(at: 24_000, length: 12_000, part: 0, key: 60),
        ScoreNote(at: 24_000, length: 12_000, part: 1, key: 61),
        ScoreNote(at: 48_000, length: 480_000, part: 1, key: 62),
      ]
      let table = ScoreTable(number: 1, line: line, notes: notes, loopLength: 0)
      defer { table.notes.free() }
      rings.scores.0.publish(table)
      var levels = ScoreLevels()
      levels[1] = 0
      rings.scoreLevels.publish(levels)
      rings.schedule.publish(schedule(line))
      /// The messages that arrive while the loop plays.
      func played(_ start: Double, _ end: Double) throws -> [Message] {
        loop.play(from: .microseconds(Int64(start * 1000)), to: .microseconds(Int64(end * 1000)))
        return try receive(receiver).map(\.message).filter { $0.key != nil || $0 == program }
      }
      #expect(try played(-60, 479.5) == [])
      #expect(try played(480, 480.5) == [program, .noteOn(channel, key: 61, velocity: 80)])
      #expect(try played(481, 719.5) == [])
      #expect(try played(720, 720.5) == [.noteOff(channel, key: 61, velocity: 64)])
      #expect(try played(721, 980) == [.noteOn(channel, key: 62, velocity: 80)])
      rings.scoreRoutes.publish(ScoreRoutes())
      #expect(try played(1000.5, 1001) == [.noteOff(channel, key: 62, velocity: 64)])
    }
  }

  /// A step with 600 notes: 512 of them sound, and the others are counted. The next step is complete.
  @Test func notesOfAStepAreLimited() throws {
    try withLoop { loop, rings, _, _ in
      let line = ScoreLine(Self.digest, playsRhythm: true)
      let notes = (0..<600).map { ScoreNote(at: Int64($0), key: UInt8($0 % 128)) } + [ScoreNote(at: 6_000, key: 99)]
      let table = ScoreTable(number: 1, line: line, notes: notes, loopLength: 0)
      defer { table.notes.free() }
      rings.scores.0.publish(table)
      rings.schedule.publish(schedule(line))
      loop.play(from: .milliseconds(-60), to: .milliseconds(60))
      #expect(events(rings).count == 512)
      #expect(rings.counters.take()?.droppedScoreNotes == 88)
      loop.play(from: .milliseconds(61), to: .milliseconds(100))
      #expect(events(rings) == ["99 120-130"])
    }
  }
}
