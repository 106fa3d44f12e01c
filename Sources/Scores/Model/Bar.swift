/// One written bar: its length, its metre, and the signs that say which bar follows. All parts have the same bars.
public struct Bar: Hashable, Sendable {
  /// The end of a repeated section.
  public struct Repeat: Hashable, Sendable {
    /// How often the section is played in all, 2...``Score/Limits/repeats``.
    public var times: UInt8
    /// Whether the section is also repeated after D.C. and D.S.
    public var isTakenAfterJump: Bool

    public init(times: UInt8 = 2, isTakenAfterJump: Bool = false) {
      (self.times, self.isTakenAfterJump) = (times, isTakenAfterJump)
    }
  }

  /// The end of an ending: its bracket closes (the last bar of a first ending), or stays open (the last ending).
  public enum EndingEnd: UInt8, Hashable, Sendable, CaseIterable { case stop, discontinue }

  /// A jump at the end of the bar.
  public enum Jump: Hashable, Sendable {
    /// D.C.: to the beginning.
    case daCapo
    /// D.S.: to the segno with this label.
    case dalSegno(String)
  }

  /// The line at the end of the bar.
  public enum Line: UInt8, Hashable, Sendable, CaseIterable {
    case regular, double, final, dashed, dotted, heavy, none, heavyLight, heavyHeavy, short, tick
  }

  /// Identifies the bar in its score. Assigned at import.
  public var id: UInt32 = 0
  /// The number in print: `12`, `12a`; empty for a bar without a number.
  public var number: String
  /// The length in quarter notes, more than 0. A pick-up, or a bar that a repeat splits, is shorter than its metre.
  public var length: Fraction
  /// The metre, if it changes at this bar. The first bar of a score has one.
  public var metre: Metre?
  /// Whether the bar does not count: a pick-up or the second half of a split bar.
  public var isImplicit = false
  public var beginsRepeat = false
  public var repeatEnd: Repeat?
  /// The passes in which the ending that begins here is played, 1...``Score/Limits/repeats`` each, ascending; empty if none begins.
  public var ending: [UInt8] = []
  public var endingEnd: EndingEnd?
  /// The label of a segno at the beginning of the bar.
  public var segno: String?
  /// The label of a coda at the beginning of the bar.
  public var coda: String?
  public var jump: Jump?
  /// The label of the coda to which the end of this bar leads after a jump ("To Coda").
  public var toCoda: String?
  /// Whether the music ends with this bar after a jump ("Fine").
  public var isFine = false
  public var line = Line.regular

  public init(number: String, length: Fraction, metre: Metre? = nil) {
    (self.number, self.length, self.metre) = (number, length, metre)
  }
}
