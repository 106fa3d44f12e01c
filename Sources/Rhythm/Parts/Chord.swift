import Text

/// A chord of a rhythm, such as `Dm7` or `C/E`.
public struct Chord: Hashable, Sendable {
  /// The name as the patch writes it.
  public let name: String
  /// The pitch class of the root in semitones above C, 0...11.
  public let root: UInt8
  /// The pitch class that the bass plays as root: the note after the slash; without a slash, ``root``.
  public let bass: UInt8
  let quality: ChordQuality

  /// The largest number of notes of a chord.
  public static let maximumNotes = 6

  /// Creates the chord with a name such as `G`, `F#m7b5`, `Bbmaj7` or `C/E`; nil for any other text.
  init?(named name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let symbol = parts[0]
    // The root is a capital letter. The small letter b is only the sign for flat, as in Bb.
    guard let letter = symbol.first, letter.isUppercase, parts.count <= 2 else { return nil }
    let rootLength = symbol.dropFirst().first.map { "#b♯♭".contains($0) } == true ? 2 : 1
    guard let root = NoteName.pitchClass(symbol.prefix(rootLength)),
      let quality = ChordQuality.named(symbol.dropFirst(rootLength))
    else { return nil }
    (self.name, self.root, self.quality) = (name, root, quality)
    guard parts.count == 2 else {
      bass = root
      return
    }
    guard parts[1].first?.isUppercase == true, let bass = NoteName.pitchClass(parts[1]) else { return nil }
    self.bass = bass
  }

  /// The remedy for a name that is nearly a chord: with the German note name H, with a small letter as its root, or with a kind that is
  /// misspelt. Nil for any other text.
  static func correction(of name: String) -> String? {
    guard let first = name.first, name.utf8.count <= 16 else { return nil }
    if first == "H" || first == "h" {
      let name = "B" + name.dropFirst()
      return Chord(named: name).map { "write \($0.name); the German note H is B" }
    }
    let capital = first.uppercased() + name.dropFirst()
    if let chord = Chord(named: capital) { return "did you mean \(chord.name)?" }
    let accidental = capital.dropFirst().prefix(1)
    let root = capital.prefix("#b♯♭".contains(accidental) && !accidental.isEmpty ? 2 : 1)
    guard NoteName.pitchClass(root) != nil else { return nil }
    let kinds = ChordQuality.all.flatMap(\.names).filter { $0.count > 1 }
    return kinds.nearest(to: String(capital.dropFirst(root.count))).first.map { "did you mean \(root)\($0)?" }
  }

  /// Creates a chord of a score.
  ///
  /// - Parameters:
  ///   - root, bass: pitch classes in semitones above C, 0...11.
  ///   - intervals: the notes in semitones above the root. The root is added, and notes after the sixth are left out.
  public init(_ name: String, root: UInt8, bass: UInt8, intervals: [Int]) {
    (self.name, self.root, self.bass) = (name, root % 12, bass % 12)
    quality = ChordQuality(intervals: intervals)
  }

  /// The notes of the chord.
  ///
  /// Real-time: not safe.
  public var tones: ChordTones {
    var pitchClasses: UInt16 = 0
    for interval in quality.intervals { pitchClasses |= 1 << UInt16((root + interval) % 12) }
    return ChordTones(root: root, bass: bass, pitchClasses: pitchClasses)
  }
}
