import Testing

@testable import Rhythm

/// Note names, scales and the sounds of General MIDI.
@Suite struct PitchTests {
  /// Middle C, the key 60, is C4. A name has no key (nil) if the key is not in 0...127, or if the text is no note name.
  @Test func noteNamesStandForTheirKeys() {
    let keys: [(String, UInt8?)] = [
      ("C4", 60), ("c4", 60), ("C-1", 0), ("G9", 127), ("A4", 69), ("F#3", 54), ("Gb3", 54), ("Bb-1", 10), ("Cb4", 59),
      ("B#3", 60), ("E♭2", 39), ("G♯2", 44), ("G#9", nil), ("Cb-1", nil), ("C10", nil), ("C", nil), ("4", nil),
      ("", nil),
      ("H3", nil), ("C##3", nil), ("C4 ", nil), ("C+4", nil), ("C99999999999999999999", nil),
    ]
    for (name, key) in keys { #expect(NoteName.key(name) == key, "\(name)") }
  }

  @Test func everyKeyHasAName() {
    for key in UInt8(0)...127 { #expect(NoteName.key(NoteName.name(of: key)) == key) }
    for pitchClass in UInt8(0)...11 {
      #expect(NoteName.pitchClass(NoteName.name(ofPitchClass: pitchClass)) == pitchClass)
    }
    #expect(NoteName.pitchClass("Cb") == 11 && NoteName.pitchClass("B#") == 0 && NoteName.pitchClass("D3") == nil)
  }

  @Test func scalesContainTheirNotes() {
    let names = Scale(tonic: 2, type: .minorPentatonic).keys(in: 50...62).map { NoteName.name(of: $0) }
    #expect(names == ["D3", "F3", "G3", "A3", "C4", "D4"])
    #expect(Scale(tonic: 9, type: .harmonicMinor).keys(in: 69...81) == [69, 71, 72, 74, 76, 77, 80, 81])
    // A church mode has the notes of the major scale on another degree.
    let modes: [(UInt8, ScaleType)] = [
      (2, .dorian), (4, .phrygian), (5, .lydian), (7, .mixolydian), (9, .minor), (11, .locrian),
    ]
    let white = Scale(tonic: 0, type: .major).keys(in: 0...127)
    for (tonic, type) in modes { #expect(Scale(tonic: tonic, type: type).keys(in: 0...127) == white, "\(type)") }
    #expect(
      Scale(tonic: 5, type: .majorPentatonic).keys(in: 0...127)
        == Scale(tonic: 2, type: .minorPentatonic).keys(in: 0...127))
    #expect(Scale(tonic: 7, type: .chromatic).keys(in: 0...127).count == 128)
    for type in ScaleType.allCases {
      #expect(type.intervals.first == 0 && type.intervals == type.intervals.sorted() && type.intervals.last ?? 12 < 12)
      #expect(ScaleType(named: type.rawValue.uppercased()) == type)
    }
    #expect(ScaleType(named: "pentatonic minor") == .minorPentatonic && ScaleType(named: "") == nil)
  }

  /// The names of sounds, compared with some programs of the GM 1 sound set, counted from 0.
  @Test func soundsStandForTheirPrograms() {
    let programs: [(String, UInt8)] = [
      ("piano", 0), ("clavi", 7), ("celesta", 8), ("marimba", 12), ("dulcimer", 15), ("church organ", 19),
      ("Acoustic Guitar (nylon)", 24), ("guitar harmonics", 31), ("bass", 33), ("synth bass 2", 39), ("violin", 40),
      ("Orchestral Harp", 46), ("timpani", 47), ("choir", 52), ("orchestra hit", 55), ("trumpet", 56),
      ("synth brass 2", 63),
      ("soprano sax", 64), ("clarinet", 71), ("piccolo", 72), ("pan flute", 75), ("ocarina", 79),
      ("lead 1 (square)", 80), ("warm pad", 89), ("rain", 96), ("sci-fi", 103), ("sitar", 104), ("kalimba", 108),
      ("shanai", 111), ("tinkle bell", 112), ("steel drums", 114), ("reverse cymbal", 119), ("guitar fret noise", 120),
      ("gunshot", 127),
    ]
    for (name, program) in programs { #expect(ProgramNames.program(named: name) == program, "\(name)") }
    #expect(ProgramNames.program(named: "") == nil && ProgramNames.program(named: "kazoo") == nil)
  }

  @Test func everyProgramHasItsOwnNames() {
    let names = (UInt8(0)...127).flatMap { [ProgramNames.name(of: $0), ProgramNames.standardName(of: $0)] }
    for (index, name) in names.enumerated() {
      #expect(ProgramNames.program(named: name) == UInt8(index / 2), "\(name)")
    }
    #expect(Set(names).count >= 128)
  }
}
