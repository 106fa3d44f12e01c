// Variations of a phrase.
extension Phrase {
  /// Returns a variation: the phrase is moved by one to three notes of a scale, may be reversed, and loses about a quarter of its notes.
  /// At least one note remains. The same seed gives the same variation.
  ///
  /// - Parameter scale: the keys of the scale, ascending. If empty, the scale consists of the notes of the phrase in all octaves.
  public func varied(seed: UInt32, scale: [UInt8]) -> Phrase {
    let keys = scale.isEmpty ? ownScale : scale
    // The hashes replace random numbers. The argument `line` only separates two uses of the seed: 0 selects the distance and the
    // direction, and 1 decides for each note whether it is omitted.
    let hash = Chance.hash(seed: seed, bar: 0, line: 0, tick: 0)
    let distance = [-3, -2, -1, 1, 2, 3][Int(hash % 6)]
    let isReversed = hash >> 16 & 1 == 1
    var varied: [Note] = []
    for (index, note) in notes.enumerated() {
      let noteHash = Chance.hash(seed: seed, bar: 0, line: 1, tick: UInt32(index))
      let mustRemain = index == notes.count - 1 && varied.isEmpty
      guard mustRemain || !Chance.happens(25, noteHash) else { continue }
      let step = isReversed ? max(stepCount - Int(note.step) - Int(note.length), 0) : Int(note.step)
      let key = Self.key(note.key, movedBy: distance, in: keys)
      guard !varied.contains(where: { $0.step == step && $0.key == key }) else { continue }
      varied.append(Note(step: UInt8(step), key: key, velocity: note.velocity, length: note.length))
    }
    return Phrase(stepCount: stepCount, notes: varied) ?? self
  }

  /// The notes of the phrase in all octaves, ascending.
  private var ownScale: [UInt8] {
    let classes = Set(notes.map { $0.key % 12 })
    return (0...127).filter { classes.contains($0 % 12) }
  }

  /// The key that results when the note of the scale that is nearest to `key` moves up by `distance` notes of the scale. A negative
  /// `distance` moves the note down. If the movement would leave the scale, the note moves in the other direction.
  private static func key(_ key: UInt8, movedBy distance: Int, in scale: [UInt8]) -> UInt8 {
    let nearest = scale.indices.min { a, b in
      abs(Int(scale[a]) - Int(key)) < abs(Int(scale[b]) - Int(key))
    }!
    let moved = scale.indices.contains(nearest + distance) ? nearest + distance : nearest - distance
    return scale[min(max(moved, 0), scale.count - 1)]
  }
}
