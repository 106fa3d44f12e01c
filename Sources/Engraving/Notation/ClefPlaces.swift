import Scores

/// Places on a staff are counted in half spaces above its middle line: 0 is the middle line, 4 the top line, -4 the bottom line.
extension Clef {
  /// The place of a note with `letter` (``Pitch/letter``).
  func place(ofLetter letter: Int) -> Int {
    let reference: Int
    switch sign {
    case .f: reference = 24
    case .c: reference = 28
    case .g: reference = 32
    // Strokes of percussion are written as if in the treble clef.
    case .percussion, .tab, .none: return letter - 34
    }
    return letter - (reference + 7 * Int(octaves)) + 2 * (Int(line) - 3)
  }

  /// The places of the accidentals of a key signature, in their order.
  ///
  /// The treble clef has the usual zigzag. Other clefs move it by at most three places, and an octave down what then lies above the
  /// staff (Gould, Behind Bars, chapter 3).
  func places(of fifths: Int) -> [Int] {
    let pattern = fifths > 0 ? [4, 1, 5, 2, -1, 3, 0] : [0, 3, -1, 2, -2, 1, -3]
    let treble = Clef(.g, line: 2)
    var shift = (place(ofLetter: 0) - treble.place(ofLetter: 0)) % 7
    if shift > 3 { shift -= 7 }
    if shift < -3 { shift += 7 }
    return pattern.prefix(min(abs(fifths), 7)).map { place in
      let moved = place + shift
      return shift > 0 && moved > 4 ? moved - 7 : moved
    }
  }

  /// The glyph, and the line on which it stands as a place.
  func glyph(isChange: Bool) -> (glyph: MusicFont.Glyph, place: Int)? {
    let place = 2 * (Int(line) - 3)
    switch sign {
    case .g: return (isChange ? .gClefChange : .gClef, place)
    case .f: return (isChange ? .fClefChange : .fClef, place)
    case .c: return (isChange ? .cClefChange : .cClef, place)
    case .percussion: return (.unpitchedPercussionClef1, 0)
    case .tab, .none: return nil
    }
  }
}
