/// The choice of keys for the notes of a chord.
enum Voicing {
  /// The inversion of `chord` in close position that is nearest to the keys `previous`. Of several equally near inversions, the
  /// lowest is chosen. Without previous keys, the inversion nearest to the middle of the range is chosen.
  ///
  /// - Parameter range: at least an octave, which contains every note of the chord.
  /// - Returns: the keys, ascending: each note of the chord once, within an octave.
  static func nearest(to previous: [UInt8], _ chord: Chord, in range: ClosedRange<UInt8>) -> [UInt8] {
    let middle = UInt8((Int(range.lowerBound) + Int(range.upperBound)) / 2)
    let target = previous.isEmpty ? [middle] : previous
    return inversions(of: chord.tones, in: range).min { distance($0, target) < distance($1, target) } ?? []
  }

  /// The inversions in close position within `range`, from the lowest on.
  private static func inversions(of tones: ChordTones, in range: ClosedRange<UInt8>) -> [[UInt8]] {
    let keys = range.filter { tones.contains($0) }
    let count = tones.pitchClasses.nonzeroBitCount
    guard keys.count >= count else { return [] }
    return (0...keys.count - count).map { Array(keys[$0..<$0 + count]) }
  }

  /// How far the voices move from `a` to `b`, in semitones: the sum of the distances from each key to the nearest key of the other
  /// chord, in both directions.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    func sum(_ keys: [UInt8], _ others: [UInt8]) -> Int {
      keys.reduce(0) { sum, key in sum + (others.map { abs(Int($0) - Int(key)) }.min() ?? 0) }
    }
    return sum(a, b) + sum(b, a)
  }
}
