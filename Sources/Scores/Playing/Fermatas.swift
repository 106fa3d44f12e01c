/// The times that fermatas hold.
enum Fermatas {
  /// For each bar of a score, the ranges in quarter notes from its beginning, in order. If several parts have a fermata at one onset, the
  /// longest note counts.
  static func ranges(in score: Score) -> [[ClosedRange<Fraction>]] {
    var ranges = [[ClosedRange<Fraction>]](repeating: [], count: score.bars.count)
    for part in score.parts {
      for (index, bar) in part.bars.enumerated() {
        for voice in bar.voices {
          for chord in voice.chords where chord.signs.contains(.fermata) && chord.length > .zero {
            guard let end = chord.end else { continue }
            if let same = ranges[index].firstIndex(where: { $0.lowerBound == chord.onset }) {
              ranges[index][same] = chord.onset...max(end, ranges[index][same].upperBound)
            } else {
              ranges[index].append(chord.onset...end)
            }
          }
        }
        ranges[index].sort { $0.lowerBound < $1.lowerBound }
      }
    }
    return ranges
  }
}
