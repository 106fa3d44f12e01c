/// A time signature: one or more groups of beats, such as 3/4, 3+2/8 or 2/4 + 3/8.
///
/// Unlike `Meter` of the rhythms, the number of beats and the unit are as large as notation permits, because scores contain 3/1, 24/16
/// and 5/32. The bars of a score come from its table (``Score/bars``), not from a division by the metre.
public struct Metre: Hashable, Sendable {
  /// A group of beats of one unit.
  public struct Group: Hashable, Sendable {
    /// The numbers of beats, 1...``Metre/maximumBeats`` each; more than one for an additive metre.
    public var beats: [Int]
    /// The note value of a beat: a power of two, 1...``Metre/maximumUnit``.
    public var unit: Int

    public init(beats: [Int], unit: Int) { (self.beats, self.unit) = (beats, unit) }
  }

  /// How the metre is printed.
  public enum Symbol: UInt8, Hashable, Sendable, CaseIterable {
    case numbers, common, cut, single
    /// No metre is printed and bars have any length. The groups give the length of an empty bar.
    case free
  }

  /// The groups in order, 1...``maximumGroups``.
  public let groups: [Group]
  public let symbol: Symbol
  /// The length of a full bar in quarter notes.
  public let length: Fraction

  public static let maximumBeats = 128
  public static let maximumUnit = 64
  public static let maximumGroups = 8
  /// 4/4.
  public static let common = Metre([Group(beats: [4], unit: 4)])!

  /// Creates a metre. Returns nil if a number is out of range.
  public init?(_ groups: [Group], symbol: Symbol = .numbers) {
    guard (1...Metre.maximumGroups).contains(groups.count) else { return nil }
    var sixtyFourths = 0
    for group in groups {
      guard (1...Metre.maximumUnit).contains(group.unit), group.unit.nonzeroBitCount == 1,
        (1...Metre.maximumGroups).contains(group.beats.count),
        group.beats.allSatisfy({ (1...Metre.maximumBeats).contains($0) })
      else { return nil }
      sixtyFourths += group.beats.reduce(0, +) * (64 / group.unit)
    }
    guard let length = Fraction(Int64(sixtyFourths), 16) else { return nil }
    (self.groups, self.symbol, self.length) = (groups, symbol, length)
  }

  /// The length of a beat in quarter notes: that of the first unit, or three units if the beats are 6, 9, 12 and so on eighths or
  /// shorter.
  public var beat: Fraction {
    let isCompound =
      groups.count == 1 && groups[0].beats.count == 1 && groups[0].unit >= 8 && groups[0].beats[0] > 3
      && groups[0].beats[0] % 3 == 0
    return Fraction(isCompound ? 12 : 4, Int64(groups[0].unit)) ?? Fraction(1)
  }
}

extension Metre: CustomStringConvertible {
  /// `3/4`, `3+2/8`, `2/4+3/8`; `free` without a printed metre.
  public var description: String {
    if symbol == .free { return "free" }
    return groups.map { "\($0.beats.map(String.init).joined(separator: "+"))/\($0.unit)" }.joined(separator: "+")
  }
}
