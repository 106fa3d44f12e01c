import MIDI
import MusicalTime
import Rhythm
import Testing

/// Borrowed pitches: one player sets the pitches, and the instrument of another player plays them.
@Suite struct BorrowedPitchesTests {
  private func on(_ key: UInt7) -> Message { .noteOn(Channel(3)!, key: key, velocity: 90) }
  private func off(_ key: UInt7) -> Message { .noteOff(Channel(3)!, key: key, velocity: 64) }

  /// The keys that the next `count` notes play.
  private func take(_ count: Int, _ pitches: inout BorrowedPitches) -> [UInt8?] {
    (0..<count).map { _ in
      defer { pitches.advance() }
      return pitches.current
    }
  }

  private func pitches(_ messages: Message...) -> BorrowedPitches {
    var pitches = BorrowedPitches()
    for message in messages { pitches.receive(message) }
    return pitches
  }

  @Test func newestKeyIsFirstAndTheOthersFollowInOrder() {
    var chord = pitches(on(60), on(64), on(67))
    // The others follow in the order in which they were pressed.
    #expect(take(5, &chord) == [67, 60, 64, 67, 60])
    var empty = pitches()
    #expect(take(2, &empty) == [nil, nil])
  }

  /// Melodies with and without overlapping keys, and a chord of which one key is released. Key 99 was never pressed.
  @Test func releasedKeysAreNotPlayed() {
    var melody = pitches(on(60), on(62), off(60))
    #expect(take(3, &melody) == [62, 62, 62])
    var gaps = pitches(on(60), off(60), on(62), off(62))
    #expect(take(2, &gaps) == [62, 62], "the last key remains")
    gaps.receive(on(65))
    #expect(take(2, &gaps) == [65, 65])
    var chord = pitches(on(60), on(64), on(67))
    _ = take(2, &chord)
    chord.receive(off(60))
    #expect(take(3, &chord) == [64, 67, 64])
    chord.receive(off(99))
    #expect(take(2, &chord) == [67, 64])
  }

  @Test func allNotesOffKeepsTheKeyThatWasPressedLast() {
    var chord = pitches(on(60), on(64), on(67))
    #expect(take(2, &chord) == [67, 60])
    chord.receive(.controlChange(Channel(3)!, controller: 123, value: 0))
    #expect(take(2, &chord) == [67, 67])
    chord.receive(on(50))
    #expect(take(2, &chord) == [50, 50])
  }

  @Test func oldestOfTooManyKeysIsForgotten() {
    var many = BorrowedPitches()
    for key in 40..<60 as Range<UInt8> { many.receive(on(UInt7(masking: key))) }
    // The newest sixteen keys, 44 to 59, are kept.
    #expect(take(17, &many) == [59] + (44..<59).map { $0 } + [59])
  }

  /// An instrument player with the scale C major from C4 to C6, and with the other fields `rest`.
  private func player(_ rest: String = "") throws -> InstrumentPlayer {
    let text = "name: a\ndescription: A test.\nsound: harp\nscale: C major, C4..C6\n\(rest)\n"
    let table = InstrumentTable(try InstrumentLoader.instrument(from: text, file: "a.yaml"))
    return InstrumentPlayer(table, at: MusicalPosition(milliticks: 0))
  }

  /// The keys of the notes that begin before `tick`.
  private func keys(_ player: inout InstrumentPlayer, before tick: Int64) -> [UInt8] {
    var keys: [UInt8] = []
    while let event = player.next(before: MusicalPosition(Tick(tick))) {
      if case .noteOn(let key, _) = event.kind { keys.append(key) }
    }
    return keys
  }

  /// One action gives one note, in the scale and in the range.
  @Test func eachActionPlaysOneOfThePitches() throws {
    var player = try player("pitch: tilt forward")
    for key: UInt7 in [61, 48] { player.pitches.receive(on(key)) }
    var played: [UInt8] = []
    for tick in 1...4 as ClosedRange<Int64> {
      player.act(force: 100, at: MusicalPosition(Tick(tick * 24)))
      played += keys(&player, before: tick * 24 + 1)
    }
    // C3 (48) is an octave too low, so it moves to C4 (60). C sharp (61) is between C and D, and moves to the lower note.
    #expect(played == [60, 60, 60, 60])
    player.pitches.receive(on(76))
    player.act(force: 100, at: MusicalPosition(Tick(200)))
    #expect(keys(&player, before: 201) == [76])
    player.pitches = BorrowedPitches()
    player.act(force: 100, at: MusicalPosition(Tick(300)))
    // Without borrowed pitches, the tilt sets the pitch. Its first value is the centre, which selects C5 (72), the middle of the range.
    #expect(keys(&player, before: 301) == [72])
  }

  /// Each note of the figure plays the next pitch. Rests, and the end of an earlier note, do not advance to the next pitch.
  @Test func figurePlaysThePitchesInTurn() throws {
    var player = try player("figure: x.x. x.x.\ngrid: 1/16\nlength: 1/1")
    for key: UInt7 in [60, 64, 67] { player.pitches.receive(on(key)) }
    player.move(to: MusicalPosition(Tick(0)), rhythmFrom: Tick(0))
    // The first twelve units of six ticks, one and a half repetitions of the figure, have six notes.
    #expect(keys(&player, before: 12 * 6) == [67, 60, 64, 67, 60, 64])
  }
}
