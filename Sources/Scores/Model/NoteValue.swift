/// A printed note value: a whole note divided by two a number of times, with dots.
public struct NoteValue: Hashable, Sendable, BitwiseCopyable {
  /// How often a whole note is halved: 0 for a whole note, 2 for a quarter, -1 for a breve. -3 (maxima)...10 (1024th).
  public var halvings: Int8
  /// The number of dots, 0...``maximumDots``.
  public var dots: UInt8

  public static let maximumDots = 4

  /// Creates a value. Returns nil if a number is out of range.
  public init?(halvings: Int, dots: Int = 0) {
    guard (-3...10).contains(halvings), (0...NoteValue.maximumDots).contains(dots) else { return nil }
    (self.halvings, self.dots) = (Int8(halvings), UInt8(dots))
  }

  /// The length in quarter notes. A dot adds half of what precedes it.
  public var length: Fraction {
    // With n dots: (2^(n+1) - 1) / 2^n times the value. All powers are at most 2^14.
    let above = (Int64(2) << Int64(dots) - 1) << (halvings < 0 ? 2 + Int64(-halvings) : 2)
    let below = Int64(1) << (Int64(dots) + (halvings > 0 ? Int64(halvings) : 0))
    return Fraction(above, below) ?? Fraction(1)
  }

  /// The value with at most two dots whose length is `length`; nil if there is none.
  public init?(length: Fraction) {
    for dots in 0...2 {
      for halvings in -3...10 {
        if let value = NoteValue(halvings: halvings, dots: dots), value.length == length {
          self = value
          return
        }
      }
    }
    return nil
  }
}

/// The ratio of a tuplet: `actual` notes in the time of `normal` notes; 3 and 2 for a triplet.
public struct TimeModification: Hashable, Sendable, BitwiseCopyable {
  /// 1...``maximum`` each.
  public var actual: UInt8
  public var normal: UInt8

  public static let maximum = 100

  /// Creates a ratio. Returns nil if a number is out of range.
  public init?(actual: Int, normal: Int) {
    guard (1...Self.maximum).contains(actual), (1...Self.maximum).contains(normal) else { return nil }
    (self.actual, self.normal) = (UInt8(actual), UInt8(normal))
  }

  /// The length of a note in the tuplet relative to its printed value.
  public var factor: Fraction { Fraction(Int64(normal), Int64(actual)) ?? Fraction(1) }
}

/// One end of a line over several notes: a slur or the bracket of a tuplet.
public struct SpanMark: Hashable, Sendable, BitwiseCopyable {
  /// The number that joins the two ends, 1...``maximumNumber``.
  public var number: UInt8
  public var isStart: Bool

  public static let maximumNumber = 16

  public init(number: UInt8, isStart: Bool) { (self.number, self.isStart) = (number, isStart) }
}

/// The part of one beam at a chord.
public enum Beam: UInt8, Hashable, Sendable, CaseIterable {
  case begin, `continue`, end, forwardHook, backwardHook
}
