// The properties of notes, computed from the controls of the player.
extension InstrumentTable {
  /// The key that is `degree` notes of the scale above a base note. The base note is the pitch that `controls` selects. If
  /// `borrowed`, a key that another player has set, is not nil, the base note is the note of the scale that is nearest to this key.
  /// If the instrument follows the chords, and `chord` is not nil, the notes of the chord replace the scale.
  ///
  /// The base note is limited so that the highest note of the figure is still a note of the scale. If the scale has too few notes for
  /// the figure, the highest note of the scale replaces the missing notes.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func key(
    _ controls: PlayerControls, degree: UInt8, borrowed: UInt8? = nil, in chord: ChordTones? = nil
  ) -> UInt8 {
    guard followsChords, let chord else {
      return key(controls, degree: degree, borrowed: borrowed, of: keys, count: keyCount)
    }
    var notes = InlineArray<128, UInt8>(repeating: 0)
    var count = 0
    var key = lowestKey
    while key <= highestKey {
      if chord.contains(key) {
        notes[count] = key
        count &+= 1
      }
      key &+= 1
    }
    return self.key(controls, degree: degree, borrowed: borrowed, of: notes, count: count)
  }

  /// The key that is `degree` notes above the base note in a scale that consists of the first `keyCount` elements of `keys`.
  @_noLocks @_noAllocation
  private func key(
    _ controls: PlayerControls, degree: UInt8, borrowed: UInt8?, of keys: InlineArray<128, UInt8>,
    count keyCount: Int
  ) -> UInt8 {
    // The number of notes that can be the base note. The base note leaves room for the greatest degree of the figure above it.
    let room = keyCount &- greatestDegree
    let choices = room > 1 ? room : 1
    var index: Int
    if let borrowed {
      index = self.index(nearest: borrowed, of: keys, count: keyCount)
    } else if case .key = pitch.source {
      index = self.index(nearest: controls.key, of: keys, count: keyCount)
    } else {
      // Each note has an equal share of the control's values.
      index = Int(value(of: pitch, controls)) &* choices / 128
    }
    if index > choices &- 1 { index = choices &- 1 }
    index &+= Int(degree)
    return keys[index < keyCount ? index : keyCount &- 1]
  }

  /// The index of the note that is nearest to `key` in the first `keyCount` elements of `keys`. A key outside the range of these elements
  /// first moves by octaves into the range. If none of its octaves is in the range, it moves to the lowest octave above the range. Of two
  /// equal distances, the lower note is chosen.
  @_noLocks @_noAllocation
  private func index(nearest key: UInt8, of keys: InlineArray<128, UInt8>, count keyCount: Int) -> Int {
    let (lowest, highest) = (Int(keys[0]), Int(keys[keyCount &- 1]))
    var target = Int(key)
    while target < lowest { target &+= 12 }
    while target > highest && target &- 12 >= lowest { target &-= 12 }
    var (best, index) = (0, 1)
    while index < keyCount {
      if (Int(keys[index]) &- target).magnitude < (Int(keys[best]) &- target).magnitude { best = index }
      index &+= 1
    }
    return best
  }

  /// The velocity of a note, 1...127. `stroke` is the velocity of its stroke in the figure. A played note has a normal stroke.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func velocity(_ controls: PlayerControls, stroke: UInt8 = 88) -> UInt8 {
    // 88 is the velocity of a normal stroke.
    let velocity = Int(value(of: loudness, controls)) &* Int(stroke) / 88
    return velocity < 1 ? 1 : velocity > 127 ? 127 : UInt8(truncatingIfNeeded: velocity)
  }

  /// The value of Brightness (CC 74), 0...127; nil if the instrument does not send Brightness.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func brightness(_ controls: PlayerControls) -> UInt8? {
    guard let brightness else { return nil }
    return value(of: brightness, controls)
  }

  /// Whether the note of the figure at the index `unit` sounds at the present density. At density 0, one note sounds. At density 127,
  /// all notes sound. A note that sounds at a density also sounds at every higher density.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func sounds(_ unit: Int, _ controls: PlayerControls) -> Bool {
    guard units[unit].velocity > 0 else { return false }
    // The density 0...127, scaled to 0..<noteCount and rounded: how many notes sound besides the first.
    let further = (2 &* (noteCount &- 1) &* Int(value(of: density, controls)) &+ 127) / 254
    return Int(units[unit].rank) <= further
  }

  /// The value of a property, 0...127.
  @_noLocks @_noAllocation
  private func value(of mapping: ControlMapping, _ controls: PlayerControls) -> UInt8 {
    guard let source = mapping.source else { return mapping.lower }
    return mapping.value(at: controls.value(of: source))
  }
}
