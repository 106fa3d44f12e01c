import MIDI
import MusicalTime
import Playback
import Rhythm
import Testing

@testable import Engine

/// Tests of ``InstrumentDriver``, which plays the instrument of the local player, on virtual time. A line is a line of the grid of
/// the instrument. The lines are a sixteenth note apart.
@Suite struct InstrumentDriverTests {
  private static let origin = Instant(nanoseconds: 1_000_000_000)

  /// An instrument that plays C4 to C6, on a grid of sixteenth notes (125 ms at 120 BPM).
  ///
  /// - Parameters:
  ///   - rest: further lines of the file.
  ///   - late: how late after a line an action may be so that its note sounds at once, as a share of the distance between two lines.
  ///   - length: the length of a note.
  private func table(_ rest: String = "", late: String = "40%", length: String = "1/16") throws -> InstrumentTable {
    InstrumentTable(
      try InstrumentLoader.instrument(
        from: """
          name: test
          description: A test.
          sound: harp
          scale: C major, C4..C6
          grid: 1/16, late \(late)
          length: \(length)
          \(rest)
          """, file: "test.yaml"))
  }

  /// Settings with a rhythm of 120 BPM, whose first tick is due at the origin. If `run` is 0, no rhythm plays. In a rhythm, the driver may
  /// return a note up to `lead` (50 ms) before the note is due. `number` changes whenever the player chooses an instrument or removes it.
  private func settings(_ table: InstrumentTable?, run: UInt32 = 0, end: Tick = Tick(.max)) -> InstrumentSettings {
    var settings = InstrumentSettings()
    (settings.number, settings.table, settings.lead) = (1, table, .milliseconds(50))
    settings.schedule = PlaybackSchedule(
      run: run, sends: true, start: Tick(0), end: end,
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: Self.origin)))
    return settings
  }

  /// A message that the driver has returned.
  private struct Played {
    let message: Message
    /// When the driver returned the message.
    let at: Instant
    /// When the message takes effect at the local peer.
    let due: Instant
    /// When the message takes effect at the other peers; nil if it is not sent to them.
    let remote: Instant?
  }

  /// Runs the driver until `end`. Like the network thread, it wakes at the deadlines of the driver, at the actions, and at least every
  /// 100 ms.
  private func run(
    _ driver: inout InstrumentDriver, from start: Instant, until end: Instant,
    actions: [(at: Instant, message: Message)] = []
  ) -> [Played] {
    var (now, rest, played) = (start, actions[...], [Played]())
    while now <= end {
      while let action = rest.first, action.at <= now {
        _ = driver.receive(action.message, at: now)
        rest.removeFirst()
      }
      while let output = driver.next(at: now) {
        let remote: Instant? = if case .at(let instant) = output.remote { instant } else { nil }
        played.append(Played(message: output.message, at: now, due: output.instant ?? now, remote: remote))
      }
      let next = min(driver.nextDeadline, rest.first?.at ?? .distantFuture, now + .milliseconds(100))
      guard next > now else {
        Issue.record("the deadline has passed")
        break
      }
      now = next
    }
    return played
  }

  /// The messages that begin notes.
  private func beginnings(_ played: [Played]) -> [Played] { played.filter { $0.message.startsNote } }

  private let strike = Message.noteOn(Channel(wire: 3), key: 60, velocity: 100)

  /// Without a rhythm, a note sounds at once and ends after its length: 125 ms at 120 BPM. The messages of the instrument are on channel 1,
  /// which belongs to no player.
  @Test func noteSoundsAtOnceWithoutARhythm() throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table()), at: Self.origin)
    let action = Self.origin + .milliseconds(333)
    let played = run(&driver, from: Self.origin, until: action + .seconds(1), actions: [(action, strike)])
    #expect(played.first?.message == .programChange(Channel(wire: 0), program: 46), "a harp")
    let begin = try #require(beginnings(played).first)
    #expect(beginnings(played).count == 1 && begin.due == action && begin.message.channel == Channel(wire: 0))
    let end = try #require(played.last)
    #expect(end.message.silencesNote && (end.due - action - .milliseconds(125)).magnitude < .milliseconds(1))
  }

  /// In a rhythm, a note that is up to 50 ms late (40 % of the grid) sounds at once. A later note sounds on the next line of the grid. The
  /// driver returns each note between the action and the instant at which the note is due.
  @Test(arguments: [0, 49, 51, 124], [0, 1, 4001]) func noteIsQuantized(late: Int64, line: Int64) throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table(), run: 1), at: Self.origin)
    let grid = Self.origin + Nanoseconds(line * 125_000_000)
    let action = grid + .milliseconds(late)
    let played = run(&driver, from: Self.origin, until: action + .milliseconds(300), actions: [(action, strike)])
    let begin = try #require(beginnings(played).first)
    #expect(beginnings(played).count == 1)
    let due = late < 50 ? action : grid + .milliseconds(125)
    // A position is rounded to thousandths of a tick. A tick lasts 20.8 ms, so the error is at most 20.8 us.
    #expect((begin.due - due).magnitude < .microseconds(21) && begin.at >= action && begin.at <= begin.due)
    #expect(played.last?.message.silencesNote == true)
  }

  /// A figure plays one note per beat, exactly on the ticks of the rhythm, and ends with the rhythm. The driver returns each note
  /// except the first 50 ms in advance.
  @Test func figureFollowsTheRhythm() throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table("figure: x... x... x... x..."), run: 1, end: Tick(24 * 6)), at: Self.origin)
    let played = run(&driver, from: Self.origin, until: Self.origin + .seconds(10))
    let notes = beginnings(played)
    #expect(notes.map(\.due) == (0..<6).map { Self.origin + .milliseconds($0 * 500) })
    for note in notes.dropFirst() { #expect(note.at == note.due - .milliseconds(50)) }
    #expect(played.count { $0.message.silencesNote } == 6)
  }

  /// Another run that continues the rhythm, as after a change of the master, neither repeats nor omits a note. The first run ends at
  /// 1490 ms, when the driver has already returned the note of 1500 ms. A new rhythm begins the figure at its first tick.
  @Test func figureContinuesInTheNextRun() throws {
    var driver = InstrumentDriver(at: Self.origin)
    var settings = settings(try table("figure: x... x... x... x..."), run: 1)
    driver.adopt(settings, at: Self.origin)
    var played = run(&driver, from: Self.origin, until: Self.origin + .milliseconds(1490))
    // `firstRun` remains 1, so run 2 continues run 1.
    settings.schedule.run = 2
    driver.adopt(settings, at: Self.origin + .milliseconds(1490))
    played += run(&driver, from: Self.origin + .milliseconds(1490), until: Self.origin + .milliseconds(2990))
    #expect(beginnings(played).map(\.due) == (0...6).map { Self.origin + .milliseconds($0 * 500) })
    let later = Self.origin + .milliseconds(10_200)
    settings.schedule = PlaybackSchedule(
      run: 3, sends: true, start: Tick(0), end: Tick(.max),
      tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: later)))
    driver.adopt(settings, at: Self.origin + .seconds(3))
    let next = run(&driver, from: Self.origin + .seconds(3), until: later + .milliseconds(400))
    #expect(beginnings(next).map(\.due) == [later])
  }

  /// The player removes the instrument while a note sounds. The note ends. Later messages are played unchanged.
  @Test func removedInstrumentEndsItsNotes() throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table()), at: Self.origin)
    let isUsed = driver.receive(strike, at: Self.origin)
    #expect(isUsed && driver.isActive)
    var played = run(&driver, from: Self.origin, until: Self.origin + .milliseconds(20))
    var none = settings(nil)
    none.number = 2
    driver.adopt(none, at: Self.origin + .milliseconds(20))
    let isStillUsed = driver.receive(strike, at: Self.origin + .milliseconds(20))
    #expect(!driver.isActive && !isStillUsed)
    played += run(&driver, from: Self.origin + .milliseconds(20), until: Self.origin + .milliseconds(30))
    #expect(beginnings(played).count == 1 && played.last?.message.silencesNote == true)
    #expect(played.last?.at == Self.origin + .milliseconds(20) && driver.nextDeadline == .distantFuture)
  }

  /// The player sends All Notes Off while a note waits for its line. If the driver has already returned the note, the end of the note
  /// does not precede its beginning. Otherwise the note is not played. The line is 125 ms after the origin, and the lead is 50 ms.
  @Test(arguments: [100, 60]) func endOfANoteDoesNotOvertakeItsBeginning(milliseconds: Int64) throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table(), run: 1), at: Self.origin)
    let action = Self.origin + .milliseconds(milliseconds)
    let silence = Message.controlChange(Channel(wire: 3), controller: 123, value: 0)
    let played = run(
      &driver, from: Self.origin, until: action + .seconds(1),
      actions: [(action, strike), (action + .milliseconds(1), silence)])
    let notes = played.filter { $0.message.key != nil }
    #expect(notes.map { $0.message.silencesNote } == (milliseconds == 100 ? [false, true] : []))
    if notes.count == 2 { #expect(notes[0].due <= notes[1].due) }
  }

  /// The length of a note that sounds at once does not depend on the instant of the previous call of the driver.
  @Test(arguments: [0, 10, 49]) func noteThatSoundsAtOnceHasItsLength(milliseconds: Int64) throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table(), run: 1), at: Self.origin)
    // The line is 125 ms after the origin, and the action up to 49 ms after it.
    let action = Self.origin + .milliseconds(125 + milliseconds)
    _ = driver.next(at: action - .milliseconds(1))
    let played = run(&driver, from: action, until: action + .seconds(1), actions: [(action, strike)])
    let notes = played.filter { $0.message.key != nil }
    try #require(notes.count == 2)
    #expect((notes[1].due - notes[0].due - .milliseconds(125)).magnitude < .milliseconds(1))
  }

  /// The master's rhythm jumps by `milliseconds` within a run. The driver does not play the skipped notes, 4800 in the jump of 600 s.
  @Test(arguments: [Int64(600_000), -400_000]) func notesThatTheRhythmSkipsAreNotPlayed(milliseconds: Int64) throws {
    var driver = InstrumentDriver(at: Self.origin)
    var settings = settings(try table("figure: xxxx xxxx xxxx xxxx"), run: 1)
    // The rhythm is at tick 48 000. A second has 48 ticks, so a jump of 400 s back ends at a positive tick.
    settings.schedule.tempo = TempoMap(Timeline(tempo: .standard, tick: Tick(48_000), at: Self.origin))
    driver.adopt(settings, at: Self.origin)
    let first = run(&driver, from: Self.origin, until: Self.origin + .seconds(1))
    // The figure has a note on each line: at 0, 125, ... and 1000 ms.
    #expect(beginnings(first).count == 9)
    let now = Self.origin + .seconds(1)
    settings.schedule.tempo = TempoMap(
      Timeline(tempo: .standard, tick: Tick(48_000), at: Self.origin - .milliseconds(milliseconds)))
    driver.adopt(settings, at: now)
    let played = run(&driver, from: now, until: now + .seconds(1))
    // Again about nine notes in one second.
    #expect((8...10).contains(beginnings(played).count))
    // The last note may still sound.
    #expect(played.filter { $0.message.silencesNote }.count >= beginnings(played).count - 1)
  }

  /// The process pauses for 600 s, so the driver is called late. It does not play the 4800 notes of the pause. The note that sounded at
  /// the beginning of the pause ends.
  @Test func notesOfAPauseOfTheProcessAreNotPlayed() throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table("figure: xxxx xxxx xxxx xxxx"), run: 1), at: Self.origin)
    // The figure has a note on each line: at 0, 125, ... and 1000 ms.
    var played = run(&driver, from: Self.origin, until: Self.origin + .seconds(1))
    #expect(beginnings(played).count == 9)
    let now = Self.origin + .seconds(601)
    let next = run(&driver, from: now, until: now + .seconds(1))
    // The driver skips all notes up to the lead (50 ms) after the end of the pause. Therefore the line at `now` has no note.
    #expect(beginnings(next).map(\.due) == (1...8).map { now + .milliseconds($0 * 125) })
    played += next
    // All notes have ended, except the last one, which still sounds.
    #expect(played.count { $0.message.silencesNote } == beginnings(played).count - 1)
  }

  /// Volume, pan, activity (controller 11 on channel 1) and All Notes Off are played unchanged. The instrument replaces all other
  /// controllers, also controller 11 on another channel.
  @Test func volumePanActivityAndAllNotesOffPassUnchanged() throws {
    var driver = InstrumentDriver(at: Self.origin)
    driver.adopt(settings(try table()), at: Self.origin)
    let expected: [(channel: UInt8, controller: UInt7, isUsed: Bool)] = [
      (0, 7, false), (0, 10, false), (0, 11, false), (0, 123, false), (1, 11, true), (0, 1, true), (0, 74, true),
    ]
    for (channel, controller, isExpected) in expected {
      let message = Message.controlChange(Channel(wire: channel), controller: controller, value: 9)
      let isUsed = driver.receive(message, at: Self.origin)
      #expect(isUsed == isExpected, "controller \(controller) on channel \(channel + 1)")
    }
  }

  /// An instrument that follows chords plays the chords of the rhythm. At 1.6 s, the driver gets the chords of another rhythm, which begins
  /// at step 24 of the ensemble, at 3 s.
  @Test func chordsChangeWithTheRhythm() throws {
    func chords(_ name: String, _ meter: String, _ bar: String) throws -> ChordProgression {
      StepTable(
        try PatchLoader.patch(
          from:
            "name: a\ndescription: b\ntempo: 120\nmeter: \(meter)\nchords: \(name)\nplay: { always: { kick: \(bar) } }",
          file: "a.yaml")
      ).chords
    }
    var driver = InstrumentDriver(at: Self.origin)
    let instrument = try InstrumentLoader.instrument(
      from: """
        name: test
        description: A test.
        sound: harp
        scale: chord, C4..B4
        figure: x...
        pitch: controller 16, 0..0
        """, file: "test.yaml")
    var settings = settings(InstrumentTable(instrument), run: 1)
    settings.chords = try chords("C", "4/4", "x... .... .... ....")
    driver.adopt(settings, at: Self.origin)
    var played = run(&driver, from: Self.origin, until: Self.origin + .milliseconds(1600))
    settings.chords = try chords("D", "3/4", "x... .... ....")
    settings.chords.origin = Step(24)
    settings.chordsNumber += 1
    driver.adopt(settings, at: Self.origin + .milliseconds(1600))
    played += run(&driver, from: Self.origin + .milliseconds(1600), until: Self.origin + .milliseconds(3900))
    // The mapping `0..0` always selects the lowest note of the chord: C4 (60) up to the bar at three seconds, and then D4.
    #expect(beginnings(played).map { $0.message.key?.value } == [60, 60, 60, 60, 60, 60, 62, 62])
    #expect(beginnings(played).map(\.due) == (0..<8).map { Self.origin + .milliseconds($0 * 500) })
  }

  /// The instant of a line of the grid. Line 0 is at the origin, and the lines are 125 ms apart.
  private func line(_ number: Int64) -> Instant { Self.origin + .milliseconds(125 * number) }

  /// At the other peers, a note sounds on a line. The line is not before the instant of the note at the local peer, and is at least
  /// `noteDelay` (60 ms) after the action, so that the note reaches the other peers in time. As in a peer, `lead` is 5 ms
  /// longer than `noteDelay`. The note keeps its length of 125 ms.
  @Test func noteSoundsOnALineAtTheOtherPeers() throws {
    // The action and the instant at the local peer in milliseconds, and the number of the line at the other peers.
    let cases: [(action: Int64, local: Int64, line: Int64)] = [
      // On a line or slightly late, the note sounds at once. The next line is 125 ms or 105 ms away.
      (1000, 1000, 9), (1020, 1020, 9),
      // The action is 60 ms late, which is more than the tolerance of 50 ms. The note waits for the next line, 65 ms away. It reaches
      // all peers before this line.
      (1060, 1125, 9),
      // The next line is only 50 ms away. The other peers play the note one line later.
      (1075, 1125, 10),
    ]
    for (action, local, line) in cases {
      var driver = InstrumentDriver(at: Self.origin)
      var settings = settings(try table(), run: 1)
      (settings.noteDelay, settings.lead) = (.milliseconds(60), .milliseconds(65))
      driver.adopt(settings, at: Self.origin)
      let at = Self.origin + .milliseconds(action)
      let played = run(&driver, from: Self.origin, until: at + .seconds(1), actions: [(at, strike)])
      let begin = try #require(beginnings(played).first)
      #expect(begin.due == Self.origin + .milliseconds(local), "\(action)")
      #expect(begin.remote == self.line(line), "\(action)")
      let end = try #require(played.first { $0.message.silencesNote })
      #expect(try #require(end.remote) - self.line(line) == end.due - begin.due, "\(action)")
    }
  }

  /// The actions at 1000 ms and 1060 ms play the same key. At the local peer, these notes sound at 1000 ms and on line 9 (1125 ms). At the
  /// other peers, both would sound on line 9, so only the first note is sent. The note at 2000 ms is the only one on line 17.
  @Test func notesOnTheSameLineSoundOnceAtTheOtherPeers() throws {
    var driver = InstrumentDriver(at: Self.origin)
    var settings = settings(try table(length: "1/32"), run: 1)
    (settings.noteDelay, settings.lead) = (.milliseconds(60), .milliseconds(65))
    driver.adopt(settings, at: Self.origin)
    let actions = [1000, 1060, 2000].map { (at: Self.origin + .milliseconds($0), message: strike) }
    let played = run(&driver, from: Self.origin, until: Self.origin + .seconds(3), actions: actions)
    #expect(beginnings(played).map(\.due) == [1000, 1125, 2000].map { Self.origin + .milliseconds($0) })
    #expect(beginnings(played).map(\.remote) == [line(9), nil, line(17)])
    #expect(played.filter { $0.message.silencesNote }.map { $0.remote == nil } == [false, true, false])
  }

  /// Without a rhythm, or if the rhythm ends before the line, a note sounds at the same instant at the local peer and at the other peers.
  /// Here the line is at 1125 ms, and the rhythm ends at tick 50, 1042 ms.
  @Test func noteWithoutALineSoundsAtOnceAtTheOtherPeers() throws {
    for (run, end) in [(UInt32(0), Tick(.max)), (1, Tick(50))] {
      var driver = InstrumentDriver(at: Self.origin)
      var settings = settings(try table(), run: run, end: end)
      (settings.noteDelay, settings.lead) = (.milliseconds(60), .milliseconds(65))
      driver.adopt(settings, at: Self.origin)
      let at = Self.origin + .milliseconds(1000)
      let played = self.run(&driver, from: Self.origin, until: at + .seconds(1), actions: [(at, strike)])
      let begin = try #require(beginnings(played).first)
      #expect(begin.remote == begin.due && begin.due == at)
    }
  }

  /// With `late 100%`, notes are quantized neither at the local peer nor at the other peers. After All Notes Off, a second note on the
  /// same line is sent too.
  @Test func onlyQuantizedNotesHaveALine() throws {
    for tolerance in ["40%", "100%"] {
      var driver = InstrumentDriver(at: Self.origin)
      var settings = settings(try table(late: tolerance), run: 1)
      (settings.noteDelay, settings.lead) = (.milliseconds(60), .milliseconds(65))
      driver.adopt(settings, at: Self.origin)
      let panic = Message.controlChange(Channel(wire: 3), controller: 123, value: 0)
      let actions = [(1010, strike), (1020, panic), (1030, strike)].map {
        (at: Self.origin + .milliseconds($0), message: $1)
      }
      let played = beginnings(run(&driver, from: Self.origin, until: Self.origin + .seconds(2), actions: actions))
      #expect(played.map(\.due) == [1010, 1030].map { Self.origin + .milliseconds($0) })
      #expect(played.map(\.remote) == (tolerance == "40%" ? [line(9), line(9)] : played.map(\.due)))
    }
  }
}
