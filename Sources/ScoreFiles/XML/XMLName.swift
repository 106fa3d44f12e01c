import Scores

/// The names of elements and attributes of MusicXML 4.0 that the reader knows. The case `scorePartwise` stands for `score-partwise`.
enum XMLName: UInt16, CaseIterable {
  // Elements of the document.
  case scorePartwise, scoreTimewise, part, measure, work, workTitle, movementTitle, identification, creator, rights,
    partList, scorePart, partName, partAbbreviation, scoreInstrument, instrumentName, midiInstrument, midiProgram,
    midiUnpitched, midiChannel, volume
  // Elements of a bar.
  case note, backup, forward, attributes, direction, harmony, barline, sound
  case divisions, key, fifths, mode, time, beats, beatType, senzaMisura, staves, clef, sign, line, clefOctaveChange,
    transpose, diatonic, chromatic, octaveChange
  case grace, cue, chord, pitch, step, alter, octave, unpitched, displayStep, displayOctave, rest, duration, tie, voice,
    type, dot, accidental, timeModification, actualNotes, normalNotes, normalType, normalDot, notehead, staff, beam,
    notations, lyric, instrument, stem
  case tied, slur, tuplet, articulations, ornaments, technical, dynamics, fermata, arpeggiate, nonArpeggiate, tremolo
  case syllabic, text, elision, extend
  case directionType, words, rehearsal, segno, coda, wedge, metronome, beatUnit, beatUnitDot, perMinute, pedal,
    octaveShift, offset
  case root, rootStep, rootAlter, kind, bass, bassStep, bassAlter, degree, degreeValue, degreeAlter, degreeType
  case barStyle, `repeat`, ending
  // Attributes. An attribute with the name of an element shares its case.
  case id, number, implicit, times, afterJump, location, size, symbol, slash, printObject, dacapo, dalsegno, tocoda,
    fine,
    tempo, fullPath, rootfile, rootfiles, container

  /// The name in a file.
  var text: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }
}

/// A table from the octets of names to numbers. The known names have the numbers of ``XMLName``; other names get further numbers in the
/// order in which they occur, so that the reader can count them.
///
/// Open addressing with linear probing (Knuth, The Art of Computer Programming 3, section 6.4), because a file asks for a name five times
/// for every 100 octets, and a dictionary of strings would copy each of them.
struct NameTable {
  /// The largest number of names that are not known. MusicXML 4.0 has about 400.
  static let maximumForeign = 2000
  private static let size = 8192

  private(set) var names: [String] = []
  private var octets: [UInt8] = []
  private var ranges: [Range<Int>] = []
  /// The number of a name plus 1; 0 for a free place.
  private var places = [UInt16](repeating: 0, count: NameTable.size)

  /// The table at the beginning of a file: the names of ``XMLName``, of signs and of dynamics.
  static let start = NameTable()

  private init() {
    for name in XMLName.allCases {
      let isNext = Array(name.text.utf8).withUnsafeBufferPointer { number($0) } == name.rawValue
      precondition(isNext, "two cases of XMLName have one text")
    }
    for name in Chord.Signs.names + Dynamic.allCases.map(\.name) {
      _ = Array(name.utf8).withUnsafeBufferPointer { number($0) }
    }
  }

  /// The number of a name that is in the table.
  func known(_ name: String) -> UInt16 { UInt16(names.firstIndex(of: name)!) }

  /// The number of a name. Returns nil if there are too many.
  mutating func number(_ name: UnsafeBufferPointer<UInt8>) -> UInt16? {
    // FNV-1a.
    var hash: UInt32 = 2_166_136_261
    for octet in name { hash = (hash ^ UInt32(octet)) &* 16_777_619 }
    var place = Int(hash ^ hash >> 15) & (Self.size - 1)
    while places[place] != 0 {
      let number = Int(places[place]) - 1
      if isEqual(ranges[number], name) { return UInt16(number) }
      place = (place + 1) & (Self.size - 1)
    }
    guard names.count < XMLName.allCases.count + Self.maximumForeign else { return nil }
    ranges.append(octets.count..<octets.count + name.count)
    octets.append(contentsOf: name)
    names.append(String(decoding: name, as: UTF8.self))
    places[place] = UInt16(names.count)
    return UInt16(names.count - 1)
  }

  private func isEqual(_ range: Range<Int>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard range.count == name.count else { return false }
    for index in 0..<name.count where octets[range.lowerBound + index] != name[index] { return false }
    return true
  }
}
