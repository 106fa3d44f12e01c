/// The kind of a chord: the intervals above its root.
struct ChordQuality: Hashable, Sendable {
  /// The names after the root, such as `m7`. The first one is the usual one.
  let names: [String]
  /// The notes in semitones above the root, ascending from 0: 2...``Chord/maximumNotes`` different pitch classes.
  let intervals: [UInt8]

  private init(_ names: [String], _ intervals: [UInt8]) { (self.names, self.intervals) = (names, intervals) }

  /// A kind without a name.
  ///
  /// - Parameter intervals: in semitones above the root, in any order; the root is added. Of intervals an octave apart, the first one counts.
  ///   Those after the sixth note are left out. The root alone becomes a power chord.
  init(intervals: [Int]) {
    var tones: [UInt8] = [0]
    for interval in intervals.sorted() where (1...33).contains(interval) && tones.count < Chord.maximumNotes {
      if !tones.contains(where: { Int($0) % 12 == interval % 12 }) { tones.append(UInt8(interval)) }
    }
    self.init([], tones.count > 1 ? tones : [0, 7])
  }

  /// The interval that the tone ``PartTone/third`` plays: the third, or the fourth or the second of a suspended chord. A power chord has
  /// none of these intervals and gives its fifth.
  var third: UInt8 { [4, 3, 5, 2].first { intervals.contains($0) } ?? fifth }
  /// The interval that the tone ``PartTone/fifth`` plays: the perfect, diminished or augmented fifth.
  var fifth: UInt8 { [7, 6, 8].first { intervals.contains($0) } ?? 0 }
  /// The interval that the tone ``PartTone/seventh`` plays: the seventh, or the sixth. A chord with neither of them gives the octave.
  var seventh: UInt8 { [10, 11, 9].first { intervals.contains($0) } ?? 12 }

  /// All kinds of chords.
  static let all = [
    Self(["", "maj", "M"], [0, 4, 7]), Self(["m", "min", "-"], [0, 3, 7]), Self(["5"], [0, 7]),
    Self(["dim", "°"], [0, 3, 6]), Self(["aug", "+"], [0, 4, 8]), Self(["sus2"], [0, 2, 7]),
    Self(["sus4", "sus"], [0, 5, 7]), Self(["add9"], [0, 4, 7, 14]), Self(["madd9"], [0, 3, 7, 14]),
    Self(["6"], [0, 4, 7, 9]), Self(["m6", "min6"], [0, 3, 7, 9]), Self(["69"], [0, 4, 7, 9, 14]),
    Self(["7"], [0, 4, 7, 10]), Self(["maj7", "M7"], [0, 4, 7, 11]), Self(["m7", "min7", "-7"], [0, 3, 7, 10]),
    Self(["mmaj7", "mM7"], [0, 3, 7, 11]), Self(["dim7", "°7"], [0, 3, 6, 9]),
    Self(["m7b5", "ø"], [0, 3, 6, 10]), Self(["7b5"], [0, 4, 6, 10]), Self(["7#5", "aug7", "+7"], [0, 4, 8, 10]),
    Self(["7sus4", "7sus"], [0, 5, 7, 10]), Self(["7b9"], [0, 4, 7, 10, 13]), Self(["7#9"], [0, 4, 7, 10, 15]),
    Self(["9"], [0, 4, 7, 10, 14]), Self(["maj9", "M9"], [0, 4, 7, 11, 14]), Self(["m9", "min9"], [0, 3, 7, 10, 14]),
    Self(["9sus4", "9sus", "11"], [0, 5, 7, 10, 14]), Self(["m11"], [0, 3, 7, 10, 14, 17]),
    Self(["maj7#11"], [0, 4, 7, 11, 18]), Self(["13"], [0, 4, 7, 10, 14, 21]),
  ]

  /// The kind with this name; nil for any other name.
  static func named(_ name: some StringProtocol) -> ChordQuality? { all.first { $0.names.contains { $0 == name } } }
}
