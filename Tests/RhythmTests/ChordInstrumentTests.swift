import MusicalTime
import Testing
import _TestSupport

@testable import Rhythm

/// Instruments that follow the chords of the rhythm.
@Suite struct ChordInstrumentTests {
  private static let zero = MusicalPosition(milliticks: 0)

  /// The chords of a rhythm in 4/4, a bar of 96 ticks each.
  private func chords(_ text: String) throws -> ChordProgression {
    try makeTable("chords: \(text)\nplay: { always: { kick: x... .... .... .... } }").chords
  }

  /// An instrument with this scale and these further fields.
  private func instrument(_ scale: String, _ fields: String = "") throws -> Instrument {
    try makeInstrument("scale: \(scale)\n\(fields)")
  }

  @Test func scaleIsRead() throws {
    let follower = try instrument("chord or A minor pentatonic, A3..A5")
    #expect(follower.followsChords && follower.scale == Scale(tonic: 9, type: .minorPentatonic))
    #expect(follower.scaleName == "chord or A minor pentatonic" && follower.rangeName == "A3..A5")
    // Without chords, an instrument that names no scale plays C major pentatonic.
    let alone = try instrument("chord, C3..C6")
    #expect(alone.followsChords && alone.scale == Scale(tonic: 0, type: .majorPentatonic))
    let other = try instrument("A minor pentatonic, A3..A5")
    #expect(!other.followsChords && other.scaleName == "A minor pentatonic")
  }

  @Test(arguments: [
    (
      "chord, C4..A4",
      "4:15: scale: has a range of 10 keys, so some notes of the chords are outside of it; "
        + "write a range of at least an octave, such as C4..B4"
    ),
    (
      "chords, C4..C5",
      "4:8: scale: has \"chords\" as the tonic; begin with a note name, such as D, F# or Bb, or with the word `chord`"
    ),
    (
      "chord or, C4..C5",
      "4:8: scale: is \"chord or\", without a tonic; begin with a note name, such as D, F# or Bb, or with the word `chord`"
    ),
  ])
  func faultIsReported(scale: String, message: String) {
    #expect(instrumentFaults(replacing: [4: "scale: \(scale)"]) == ["small.yaml:" + message])
  }

  /// A figure of one note per beat plays the lowest note of the chord at its position, because the tilt (controller 1) is 0. The rhythm
  /// has one or two chords per bar.
  @Test func figureFollowsTheChords() throws {
    let instrument = try instrument(
      "chord or C major, C4..C6", "figure: x...\npitch: tilt forward\nloudness: 90")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.controls.set(controller: 1, to: 0)
    player.follow(try chords("C | Dm | E7 Am"), from: Self.zero)
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    // Four notes in the bar of C (C4), four in the bar of Dm (D4), and two each with E7 (lowest note D4) and Am (C4).
    let expected = [60, 60, 60, 60, 62, 62, 62, 62, 62, 62, 60, 60]
    #expect(keys(&player, before: 288).map { Int($0) } == expected)
    #expect(keys(&player, before: 576).map { Int($0) } == expected)
  }

  /// A played note that waits for a line of the grid takes the chord at this line.
  @Test func playedNoteTakesTheChordAtItsPosition() throws {
    let instrument = try instrument("chord, C4..B4", "pitch: tilt forward\ngrid: 1/4, late 40%")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.controls.set(controller: 1, to: 0)
    player.follow(try chords("C | D"), from: Self.zero)
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    // The action is 16 ticks late for the last beat of the bar of C, at tick 72. This is more than 40 % of a beat (9.6 ticks). The note
    // therefore sounds at tick 96, in the bar of D.
    player.act(force: 90, at: MusicalPosition(Tick(88)))
    #expect(keys(&player, before: 120) == [62])
    // Actions that are 2 ticks late (tick 122, in the bar of D) and 1 tick late (tick 193, in the next bar of C) sound at once.
    player.act(force: 90, at: MusicalPosition(Tick(122)))
    #expect(keys(&player, before: 123) == [62])
    player.act(force: 90, at: MusicalPosition(Tick(193)))
    #expect(keys(&player, before: 194) == [60])
  }

  /// Without a rhythm, and in a rhythm without chords, the scale of the instrument is valid. Its lowest note is A3 (57).
  @Test func scaleIsValidWithoutChords() throws {
    let instrument = try instrument("chord or A minor pentatonic, A3..A4", "pitch: tilt forward")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.controls.set(controller: 1, to: 0)
    player.follow(try chords("F#"), from: Self.zero)
    player.act(force: 90, at: Self.zero)
    #expect(keys(&player, before: 1) == [57])
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    player.act(force: 90, at: Self.zero)
    // A#3 (58) is the lowest note of the chord F# in the range.
    #expect(keys(&player, before: 1) == [58])
    player.follow(ChordProgression(), from: MusicalPosition(Tick(1)))
    player.act(force: 90, at: MusicalPosition(Tick(1)))
    #expect(keys(&player, before: 2) == [57])
  }

  /// The chords of another rhythm are valid from its first bar on. A jump to another timeline makes the newest chords valid at once.
  @Test func chordsChangeAtAPosition() throws {
    let instrument = try instrument("chord, C4..B4", "figure: x...\npitch: tilt forward")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.controls.set(controller: 1, to: 0)
    player.follow(try chords("C"), from: Self.zero)
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    player.follow(try chords("D"), from: MusicalPosition(Tick(96)))
    #expect(keys(&player, before: 144) == [60, 60, 60, 60, 62, 62])
    player.follow(try chords("E"), from: MusicalPosition(Tick(192)))
    #expect(keys(&player, before: 168) == [62])
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    #expect(keys(&player, before: 24) == [64])
  }

  /// An instrument with a scale ignores the chords.
  @Test func otherInstrumentIgnoresTheChords() throws {
    let instrument = try instrument("C major, C4..B4", "figure: x...\npitch: tilt forward")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.controls.set(controller: 1, to: 0)
    player.follow(try chords("F#"), from: Self.zero)
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    #expect(keys(&player, before: 24) == [60])
  }

  /// All notes are in the range and in the chord at their position, for seeded chords, controls and actions.
  @Test(arguments: UInt64(1)...30) func notesAreInTheChord(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    func chord() -> String {
      let roots = ["C", "Db", "E", "F#", "G", "Bb"]
      return roots.randomElement(using: &random)!
        + ChordQuality.all.randomElement(using: &random)!.names[0]
    }
    let progression = try chords(
      (0..<4).map { _ in "\(chord()) \(chord())" }.joined(separator: " | "))
    let lowest = random.integer(in: 0...116)
    let range = UInt8(lowest)...UInt8(random.integer(in: lowest + 11...127))
    let names = "\(NoteName.name(of: range.lowerBound))..\(NoteName.name(of: range.upperBound))"
    let instrument = try instrument(
      "chord, \(names)",
      "figure: x.35 2.9o\npitch: \(["tilt forward", "key"].randomElement(using: &random)!)")
    var player = InstrumentPlayer(InstrumentTable(instrument), at: Self.zero)
    player.follow(progression, from: Self.zero)
    player.move(to: Self.zero, rhythmFrom: Tick(0))
    for tick in Int64(0)..<800 {
      player.controls.set(controller: 1, to: .init(clamping: Int(random.integer(in: 0...127))))
      player.act(
        force: 80, key: UInt8(random.integer(in: 0...127)), at: MusicalPosition(Tick(tick)))
      while let event = player.next(before: MusicalPosition(Tick(tick))) {
        guard case .noteOn(let key, _) = event.kind else { continue }
        let chord = try #require(progression.chord(at: event.position.tick.step))
        #expect(range.contains(key) && chord.contains(key), "seed \(seed), tick \(tick)")
      }
    }
  }

  /// The keys of the notes before a tick.
  private func keys(_ player: inout InstrumentPlayer, before tick: Int64) -> [UInt8] {
    var keys: [UInt8] = []
    while let event = player.next(before: MusicalPosition(Tick(tick))) {
      if case .noteOn(let key, _) = event.kind { keys.append(key) }
    }
    return keys
  }
}
