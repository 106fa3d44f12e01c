/// The keys that a pitched part plays in one chord.
struct PartKeys: Sendable, BitwiseCopyable {
  /// The keys of the tones from ``PartTone/root`` to ``PartTone/approach``. The index is the raw value of the tone.
  var tones = InlineArray<6, UInt8>(repeating: 0)
  /// The keys of ``PartTone/chord``, ascending. The first ``chordCount`` elements are used.
  var chord = InlineArray<6, UInt8>(repeating: 0)
  var chordCount: UInt8 = 0

  @_noLocks @_noAllocation
  init() {}
}

extension PartKeys {
  /// The keys of a part for each of some chords. The first one follows the last one.
  ///
  /// Real-time: not safe.
  static func keys(of part: PitchedPart, for chords: [Chord]) -> [PartKeys] {
    var voicing: [UInt8] = []
    return chords.indices.map { index in
      let (chord, next) = (chords[index], chords[(index + 1) % chords.count])
      voicing = Voicing.nearest(to: voicing, chord, in: part.range)
      let (root, target) = (Self.root(of: chord, part), Self.root(of: next, part))
      // The key of an interval: the lowest one at or above `root`, or an octave lower if this key is above the range.
      func above(_ interval: UInt8) -> UInt8 {
        // The interval counts from the root of the chord, not from `root`. For a bass part and a chord such as C/E, `root` is the bass note E.
        let pitchClass = (chord.root + interval) % 12
        let key = root + (pitchClass + 12 - root % 12) % 12
        return part.range.contains(key) ? key : key - 12
      }
      var keys = PartKeys()
      let octave = part.range.contains(root + 12) ? root + 12 : root
      let quality = chord.quality
      let tones: [PartTone: UInt8] = [
        .root: root, .third: above(quality.third), .fifth: above(quality.fifth),
        .seventh: quality.seventh == 12 ? octave : above(quality.seventh), .octave: octave,
        .approach: target > part.range.lowerBound ? target - 1 : target + 1,
      ]
      for (tone, key) in tones { keys.tones[Int(tone.rawValue)] = key }
      for (index, key) in voicing.enumerated() { keys.chord[index] = key }
      keys.chordCount = UInt8(voicing.count)
      return keys
    }
  }

  /// The lowest key in the range of a part that is the root of the chord. For a bass part, the lowest key that is the bass note of the
  /// chord.
  private static func root(of chord: Chord, _ part: PitchedPart) -> UInt8 {
    let pitchClass = part.part == .bass ? chord.bass : chord.root
    let lowest = part.range.lowerBound
    return lowest + (pitchClass + 12 - lowest % 12) % 12
  }
}
