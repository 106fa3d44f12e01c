import Scores

/// Note values for lengths of a MIDI file.
enum NoteLengths {
  struct Piece {
    var length: Fraction
    var value: NoteValue?
    var ratio: TimeModification?
  }

  /// Tuplets by the odd factor of their denominators.
  private static let ratios = [(3, 3, 2), (5, 5, 4), (7, 7, 4), (9, 9, 8)].map {
    ($0.0, TimeModification(actual: $0.1, normal: $0.2)!)
  }

  /// Divides a length into pieces that a note value has, at the next quarter note if possible. Without a value, one piece is left without.
  static func pieces(of length: Fraction, from onset: Fraction) -> [Piece] {
    if let piece = piece(length) { return [piece] }
    guard let next = Fraction(onset.floor(times: 1) + 1, 1), let first = try? next - onset, first < length,
      let rest = try? length - first
    else { return halves(of: length) }
    // The rest from a quarter note on: whole quarter notes, then what is left.
    var pieces = piece(first).map { [$0] } ?? halves(of: first)
    var remaining = rest
    while remaining > .zero, pieces.count < 64 {
      if let last = piece(remaining) { return pieces + [last] }
      let whole = remaining.floor(times: 1)
      // The largest power of two of quarter notes, or the rest below a quarter note.
      guard whole > 0, let part = Fraction(Int64(1) << Int64(63 - whole.leadingZeroBitCount), 1) else {
        return pieces + halves(of: remaining)
      }
      pieces += piece(part).map { [$0] } ?? [Piece(length: part)]
      remaining = (try? remaining - part) ?? .zero
    }
    return pieces
  }

  /// A length below a quarter note that no value has, such as 5/8 or 5/12: the largest value in it, and the rest.
  private static func halves(of length: Fraction) -> [Piece] {
    var (pieces, remaining) = ([Piece](), length)
    while remaining > .zero, pieces.count < 16 {
      if let last = piece(remaining) { return pieces + [last] }
      let units = remaining.numerator
      guard units > 1, let part = Fraction(Int64(1) << Int64(63 - units.leadingZeroBitCount), remaining.denominator),
        let found = piece(part)
      else { break }
      pieces.append(found)
      remaining = (try? remaining - part) ?? .zero
    }
    return remaining > .zero ? pieces + [Piece(length: remaining)] : pieces
  }

  /// The value of a length, alone or in a tuplet.
  private static func piece(_ length: Fraction) -> Piece? {
    if let value = NoteValue(length: length), value.dots < 2 { return Piece(length: length, value: value) }
    for (factor, ratio) in ratios where Int(length.denominator) % factor == 0 {
      if let printed = try? length / ratio.factor, let value = NoteValue(length: printed), value.dots < 2 {
        return Piece(length: length, value: value, ratio: ratio)
      }
    }
    return nil
  }
}
