import MIDI
import MusicalTime
import Testing

@testable import Rhythm

/// The events of an instrument player. Positions are in thousandths of a tick. `makeInstrument` gives each instrument the harp,
/// program 46 (SmallInstrument.swift).
@Suite struct InstrumentPlayerTests {
  /// An instrument player with these fields, at position 0. `start` is the first tick of the rhythm; nil without a rhythm.
  private func run(_ fields: String, rhythmFrom start: Int64? = 0) throws -> InstrumentRun {
    var run = InstrumentRun(try makeInstrument(fields))
    run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: start.map { Tick($0) })
    return run
  }

  private func position(_ milliticks: Int64) -> MusicalPosition { MusicalPosition(milliticks: milliticks) }

  @Test func firstEventsAreProgramAndBrightness() throws {
    var run = try run("scale: C major, C4..C5\nbrightness: tilt sideways")
    run.player.controls.set(controller: 74, to: 100)
    run.advance(toTick: 0)
    #expect(run.events.map(\.kind) == [.program(46), .brightness(100)])
    // The same value again gives no event.
    run.player.controls.set(controller: 74, to: 100)
    run.advance(toTick: 1)
    run.player.controls.set(controller: 74, to: 101)
    run.advance(toTick: 2)
    #expect(run.events.map(\.kind) == [.program(46), .brightness(100), .brightness(101)])
  }

  @Test func noteIsQuantizedInARhythm() throws {
    var run = try run("scale: C major, C4..C5\nlength: 1/8")
    // The standard grid is 1/16 (six ticks), and the tolerance is 40 % of it, 2.4 ticks. An action that is 2.4 ticks late sounds at
    // once. An action that is 2.401 ticks late, after tick 6, sounds on the next line, tick 12.
    #expect(run.player.act(force: 100, at: position(2_400)) == .atOnce)
    run.advance(to: position(2_400))
    #expect(run.player.act(force: 90, at: position(8_401)) == .onLine(Tick(12)))
    run.advance(toTick: 12)
    #expect(run.notes.map(\.event.position) == [position(2_400)] && run.notes[0].event.isImmediate)
    run.advance(toTick: 13)
    #expect(run.notes.map(\.event.position) == [position(2_400), position(12_000)])
    #expect(!run.notes[1].event.isImmediate && run.notes.map(\.velocity) == [100, 90])
    run.advance(toTick: 100)
    // Both notes have the same key. The first one ends when the second one begins. The second one lasts 1/8 (12 ticks).
    let ends = run.events.filter { if case .noteOff = $0.kind { true } else { false } }
    #expect(ends.map(\.position) == [position(12_000), position(24_000)])
  }

  @Test func noteSoundsAtOnceWithoutARhythm() throws {
    var run = try run("scale: C major, C4..C5", rhythmFrom: nil)
    #expect(run.player.act(force: 64, at: position(4_000)) == .atOnce)
    run.advance(to: position(4_000))
    #expect(run.notes.map(\.event.position) == [position(4_000)])
    run.advance(to: position(10_001))
    #expect(run.sounding.isEmpty)
    // An action before the first downbeat of a rhythm sounds at once too.
    run.move(to: position(-10_000), rhythmFrom: Tick(0))
    #expect(run.player.act(force: 64, at: position(-3_000)) == .atOnce)
    #expect(run.player.act(force: 64, at: position(3_000)) == .onLine(Tick(6)))
  }

  /// Of the actions with one key that wait for the same line of the grid, one note sounds, with the greatest force.
  @Test func actionsWithOneKeyOnOneLineSoundOnce() throws {
    var run = try run("scale: C major, C4..C5\npitch: key")
    for (force, key, at) in [(60, 60, 3_000), (90, 60, 4_000), (70, 60, 5_000), (80, 64, 5_500)]
      as [(UInt8, UInt8, Int64)]
    {
      #expect(run.player.act(force: force, key: key, at: position(at)) == .onLine(Tick(6)))
    }
    run.advance(toTick: 100)
    #expect(run.notes.map(\.key) == [60, 64] && run.notes.map(\.velocity) == [90, 80] && run.ticks == [6, 6])
  }

  @Test func pitchUsesTheWholeRange() throws {
    var run = try run("scale: D minor pentatonic, D3..D4", rhythmFrom: nil)
    for value in UInt8(0)...127 {
      run.player.controls.set(controller: 1, to: UInt7(masking: value))
      run.player.act(force: 64, at: position(Int64(value) * 10_000))
      run.advance(to: position(Int64(value) * 10_000 + 9_000))
    }
    let keys = run.notes.map(\.key)
    #expect(keys == keys.sorted() && Set(keys).sorted() == [50, 53, 55, 57, 60, 62])
    // Each of the six notes has 21 or 22 of the 128 values.
    for key in Set(keys) { #expect((21...22).contains(keys.count { $0 == key })) }
  }

  /// A key outside the range first moves by octaves. The nearest note of the scale then sounds; of two equal distances, the lower note.
  @Test(
    arguments: [
      (60, 60), (61, 60), (62, 62), (63, 62), (66, 65), (48, 60), (47, 71), (73, 60), (74, 62), (96, 72), (0, 60),
      (127, 67),
    ] as [(UInt8, UInt8)])
  func playedKeyMovesToTheScale(key: UInt8, note: UInt8) throws {
    var run = try run("scale: C major, C4..C5\npitch: key", rhythmFrom: nil)
    run.player.receive(.noteOn(Channel(wire: 3), key: UInt7(masking: key), velocity: 77), at: position(0))
    run.advance(toTick: 0)
    #expect(run.notes.map(\.key) == [note] && run.notes.map(\.velocity) == [77])
  }

  /// In a figure, X is an accent, o is a ghost note, and 3 is the third note of the scale, counted from the pitch of the controls.
  @Test func figureSoundsOnItsGrid() throws {
    var run = try run("scale: C major, C4..C6\nfigure: X.3o\ngrid: 1/8 triplets\nloudness: 88")
    run.player.controls.set(controller: 1, to: 0)
    // The figure has four units of 8 ticks. With the loudness 88, an accent has velocity 120, and a ghost note 56. Key 60 is the lowest
    // note of the range.
    for tick in stride(from: Int64(6), through: 64, by: 6) { run.advance(toTick: tick) }
    #expect(run.ticks == [0, 16, 24, 32, 48, 56] && run.notes.map(\.key) == [60, 64, 60, 60, 64, 60])
    #expect(run.notes.map(\.velocity) == [120, 88, 56, 120, 88, 56])
    #expect(run.notes.allSatisfy { !$0.event.isImmediate && $0.event.position.offset == 0 })
  }

  @Test func joinedFigureIsInPhase() throws {
    let fields = "scale: C major, C4..C6\nfigure: X.3o x.x2 4.x5 o.o.\nloudness: 88"
    var whole = try run(fields)
    whole.advance(toTick: 960)
    var late = try run(fields)
    late.move(to: position(500_001), rhythmFrom: Tick(0))
    late.advance(toTick: 960)
    #expect(late.ticks == whole.ticks.filter { $0 > 500 } && !late.ticks.isEmpty)
    #expect(late.notes.map(\.key) == whole.notes.suffix(late.notes.count).map(\.key))
    // A start at tick 96 continues the figure from there.
    var second = try run(fields, rhythmFrom: 96)
    second.advance(toTick: 960)
    #expect(second.ticks == whole.ticks.filter { $0 >= 96 })
  }

  @Test func densityThinsTheFigureInTheOrderOfItsStrokes() throws {
    let instrument = try makeInstrument("scale: C major, C4..C6\nfigure: oxXx ...X\ndensity: activity")
    func units(_ activity: UInt8) -> [Int64] {
      var run = InstrumentRun(instrument)
      run.player.controls.set(activity: activity)
      run.move(to: position(0), rhythmFrom: Tick(0))
      run.advance(toTick: 48)
      return run.ticks.map { $0 / 6 }
    }
    // The accents (units 2 and 7) sound first, beginning with the one on the stronger beat. The normal notes (1 and 3) follow, and then
    // the ghost note (0).
    #expect([0, 20, 50, 80, 127].map { units($0) } == [[2], [2, 7], [1, 2, 7], [1, 2, 3, 7], [0, 1, 2, 3, 7]])
  }

  @Test func actionSetsTheForceOfTheFigure() throws {
    var run = try run("scale: C major, C4..C6\nfigure: x")
    // In a rhythm, an action plays no note of its own. It sets the force, and so does controller 11.
    #expect(run.player.act(force: 40, at: position(1_000)) == nil)
    run.advance(toTick: 1)
    run.player.controls.set(controller: 11, to: 100)
    run.advance(toTick: 7)
    #expect(run.notes.map(\.velocity) == [40, 100])
    // Without a rhythm, the instrument plays one note per action.
    run.move(to: position(7_000), rhythmFrom: nil)
    run.advance(toTick: 50)
    #expect(run.player.act(force: 50, at: position(50_000)) == .atOnce)
    run.advance(toTick: 100)
    #expect(run.notes.map(\.velocity) == [40, 100, 50] && run.sounding.isEmpty)
  }

  @Test func waitingNoteSoundsAtOnceWhenTheRhythmEnds() throws {
    var run = try run("scale: C major, C4..C6\ngrid: 1/4")
    run.advance(toTick: 20)
    #expect(run.player.act(force: 64, at: position(20_000)) == .onLine(Tick(24)))
    run.advance(toTick: 21)
    run.move(to: position(5_000_000), rhythmFrom: nil)
    run.advance(to: position(5_000_000))
    #expect(run.notes.map(\.event.position) == [position(5_000_000)] && run.notes[0].event.isImmediate)
    // The note is as long as a unit of the grid, 24 ticks.
    run.advance(to: position(5_024_001))
    #expect(run.sounding.isEmpty && run.notes.count == 1)
  }

  @Test func changeOfInstrumentEndsAllNotes() throws {
    var run = try run("scale: C major, C4..C6\nfigure: x5\nlength: 1/1\nbrightness: 90")
    run.advance(toTick: 12)
    #expect(run.sounding.count == 2)
    run.player.change(to: InstrumentTable(try makeInstrument("scale: C major, C4..C6\nfigure: ..x")))
    let count = run.events.count
    run.advance(toTick: 12)
    #expect(run.sounding.isEmpty && run.events.allSatisfy { $0.position <= position(12_000) })
    // After the ends of the two notes, the new instrument begins. It does not send Brightness, so Brightness returns to 64, the centre.
    #expect(run.events[(count + 2)...].map(\.kind) == [.program(46), .brightness(64)])
    run.advance(toTick: 30)
    #expect(run.ticks == [0, 6, 12])
  }

  @Test func allNotesOffSilencesTheInstrument() throws {
    var run = try run("scale: C major, C4..C6\npitch: key\nlength: 1/1", rhythmFrom: nil)
    for key in [60, 64, 67] as [UInt8] { run.player.act(force: 64, key: key, at: position(0)) }
    run.advance(toTick: 1)
    #expect(run.sounding.count == 3)
    run.player.receive(.controlChange(Channel(wire: 0), controller: 123, value: 0), at: position(1_000))
    run.advance(toTick: 1)
    #expect(run.sounding.isEmpty && run.player.soundingCount == 0)
  }

  /// At most sixteen notes sound: when another note begins, the note that would end first ends. At most sixteen notes wait, and
  /// further notes are dropped. The test plays 24 notes.
  @Test func notesAreLimited() throws {
    var run = try run("scale: chromatic, C1..C6\npitch: key\nlength: 1/1", rhythmFrom: nil)
    for key in UInt8(36)..<60 {
      run.player.act(force: 64, key: key, at: position(Int64(key)))
      run.advance(to: position(Int64(key)))
    }
    #expect(run.notes.count == 24 && run.sounding == Set(44..<60))
    for key in UInt8(36)..<60 { run.player.act(force: 64, key: key, at: position(100)) }
    #expect(run.player.droppedNotes == 8)
    run.advance(toTick: 1_000)
    #expect(run.sounding.isEmpty)
  }

  @Test func nextPositionIsWhereTheNextEventIs() throws {
    var run = try run("scale: C major, C4..C6\nfigure: x...")
    #expect(run.player.nextPosition == position(0))
    run.advance(toTick: 1)
    // The note ends at tick 6, where the next unit of the figure begins.
    #expect(run.player.nextPosition == position(6_000))
    run.move(to: position(1_000), rhythmFrom: nil)
    run.advance(toTick: 100)
    #expect(run.player.nextPosition == nil)
  }

  /// A table can be passed through a ring or a triple buffer (``InstrumentTable``). The limits in octets keep the table and the player
  /// small.
  @Test func playerAndTableAreSmallValues() {
    #expect(MemoryLayout<InstrumentTable>.size < 512 && MemoryLayout<InstrumentPlayer>.size < 2_048)
  }

  @Test func eventsAreMessages() {
    let channel = Channel(wire: 4)
    let position = position(0)
    #expect(
      InstrumentEvent(.noteOn(key: 60, velocity: 9), at: position).message(on: channel)
        == .noteOn(channel, key: 60, velocity: 9))
    #expect(
      InstrumentEvent(.noteOff(key: 60), at: position).message(on: channel)
        == .noteOff(channel, key: 60, velocity: 64))
    #expect(InstrumentEvent(.program(7), at: position).message(on: channel) == .programChange(channel, program: 7))
    #expect(
      InstrumentEvent(.brightness(7), at: position).message(on: channel)
        == .controlChange(channel, controller: 74, value: 7))
  }
}
