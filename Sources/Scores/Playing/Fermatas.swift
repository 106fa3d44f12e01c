/// The times that fermatas hold.
enum Fermatas {
  /// For each bar of a score, the ranges in quarter notes from its beginning, in order. If several parts have a fermata at one onset, the
  /// longest note counts.
  static func ranges(in score: Score) -> [[ClosedRange<Fraction>]] {
    var ends = [[Fraction: Fraction]](repeating: [:], count: score.bars.count)
    for part in score.parts {
      for (index, bar) in part.bars.enumerated() {
        for chord in bar.voices.lazy.flatMap(\.chords) where chord.signs.contains(.fermata) && chord.length > .zero {
          guard let end = chord.end else { continue }
          ends[index][chord.onset] = max(end, ends[index][chord.onset] ?? end)
        }
      }
    }
    return ends.map { ends in ends.map { $0.key...$0.value }.sorted { $0.lowerBound < $1.lowerBound } }
  }
}
