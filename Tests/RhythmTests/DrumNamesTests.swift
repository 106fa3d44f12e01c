import Testing

@testable import Rhythm

/// The names of drums, compared with some notes of the GM 1 percussion key map.
@Suite struct DrumNamesTests {
  @Test func namesStandForTheirNotes() {
    let notes: [(String, UInt8)] = [
      ("acoustic bass drum", 35), ("kick", 36), ("Side Stick", 37), ("snare", 38), ("hand clap", 39), ("hat", 42),
      ("pedal hi-hat", 44), ("open hat", 46), ("crash", 49), ("ride", 51), ("ride bell", 53), ("tambourine", 54),
      ("cowbell", 56), ("hi bongo", 60), ("open hi conga", 63), ("low timbale", 66), ("maracas", 70), ("claves", 75),
      ("low wood block", 77), ("open triangle", 81),
    ]
    for (name, note) in notes { #expect(DrumNames.note(named: name) == note, "\(name)") }
    #expect(DrumNames.note(named: "banjo") == nil && DrumNames.note(named: "") == nil)
  }

  /// The map has the notes 35 to 81, which are 47.
  @Test func everyNoteHasOneName() {
    let names = (UInt8(35)...81).compactMap { DrumNames.name(of: $0) }
    #expect(Set(names).count == 47)
    for (index, name) in names.enumerated() { #expect(DrumNames.note(named: name) == UInt8(35 + index)) }
    #expect(DrumNames.name(of: 34) == nil && DrumNames.name(of: 82) == nil)
  }
}
