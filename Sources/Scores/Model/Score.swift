/// A score: an immutable document of parts and bars. Peers identify it by the digest of its octets (``octets``).
///
/// The bars are a table that all parts share. A note stands at (bar, offset), exact in quarter notes. A ``Route`` says which written bar
/// sounds when, a ``TempoPath`` how long it lasts, and an ``EventTable`` which notes sound.
public struct Score: Hashable, Sendable {
  /// A person, and what the person did: `composer`, `lyricist`, `arranger`.
  public struct Creator: Hashable, Sendable {
    public var role: String
    public var name: String
    public init(role: String, name: String) { (self.role, self.name) = (role, name) }
  }

  public var title = ""
  public var movement = ""
  public var creators: [Creator] = []
  public var rights = ""
  public var bars: [Bar] = []
  /// In the order of their positions.
  public var tempoMarks: [TempoMark] = []
  public var parts: [Part] = []

  public init() {}

  /// The largest numbers of a score. They bound the work for a hostile file or peer.
  public enum Limits {
    public static let parts = 64
    public static let staves = 8
    public static let voicesPerStaff = 4
    public static let bars = 10_000
    public static let notes = 500_000
    /// Chords and rests.
    public static let chords = 1_000_000
    /// Marks, changes, chord symbols and tempo marks, each.
    public static let marks = 200_000
    /// The octets of one text.
    public static let text = 1024
    /// The octets of the texts of a score.
    public static let texts = 4 << 20
    /// The length of a bar in quarter notes.
    public static let barLength = 1024
    /// The least common multiple of the denominators of all onsets and lengths. With it, a sum over a whole route fits into 64 bits.
    public static let denominator: UInt64 = 1 << 30
    /// How often a section is repeated.
    public static let repeats = 100
    /// The bars of an unfolded route.
    public static let playedBars = 100_000
    /// The notes, chords, rests and tempo marks of an unfolded route, in all.
    public static let playedContents = 5_000_000
  }

  /// The metre in force in each bar.
  public var metres: [Metre] {
    var metre = Metre.common
    return bars.map { bar in
      metre = bar.metre ?? metre
      return metre
    }
  }

  /// The notes, chords, rests and tempo marks of each bar, in all parts.
  var contentCounts: [Int] {
    var counts = [Int](repeating: 0, count: bars.count)
    for mark in tempoMarks { counts[mark.bar] += 1 }
    for part in parts {
      for (index, bar) in part.bars.enumerated() {
        for voice in bar.voices { counts[index] += voice.chords.reduce(0) { $0 + 1 + $1.notes.count } }
      }
    }
    return counts
  }

  /// The number of notes, including grace notes and cues.
  public var noteCount: Int {
    parts.reduce(0) {
      $0 + $1.bars.reduce(0) { $0 + $1.voices.reduce(0) { $0 + $1.chords.reduce(0) { $0 + $1.notes.count } } }
    }
  }

  /// Numbers the parts, bars, chords, notes and chord symbols in the order of the score, from 1. Readers of files call it once.
  public mutating func assignIdentifiers() {
    for index in bars.indices { bars[index].id = UInt32(index + 1) }
    var next: UInt32 = 1
    for part in parts.indices {
      parts[part].id = UInt32(part + 1)
      for bar in parts[part].bars.indices {
        for voice in parts[part].bars[bar].voices.indices {
          for chord in parts[part].bars[bar].voices[voice].chords.indices {
            parts[part].bars[bar].voices[voice].chords[chord].id = next
            next += 1
            for note in parts[part].bars[bar].voices[voice].chords[chord].notes.indices {
              parts[part].bars[bar].voices[voice].chords[chord].notes[note].id = next
              next += 1
            }
          }
        }
        for symbol in parts[part].bars[bar].symbols.indices {
          parts[part].bars[bar].symbols[symbol].id = next
          next += 1
        }
      }
    }
  }
}

extension Score {
  /// The least common multiple of the denominators of all bars, onsets, lengths and offsets, at most ``Limits/denominator`` in a valid
  /// score.
  public var commonDenominator: Int64 {
    var common: UInt64 = 1
    func add(_ value: Fraction) {
      let next = UInt64(value.denominator)
      if common % next != 0 { common *= next / Fraction.divisor(common, next) }
    }
    for bar in bars { add(bar.length) }
    for mark in tempoMarks { add(mark.offset) }
    for bar in parts.lazy.flatMap(\.bars) {
      for voice in bar.voices {
        for chord in voice.chords {
          add(chord.onset)
          add(chord.length)
        }
      }
      for change in bar.changes { add(change.offset) }
      for mark in bar.marks { add(mark.offset) }
      for symbol in bar.symbols { add(symbol.offset) }
    }
    return Int64(common)
  }
}
