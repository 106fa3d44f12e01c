import Scores

/// What a screen reader says about the elements of a score.
struct SVGLabels {
  private let score: Score
  /// The metre in force in each bar.
  private let metres: [Metre]

  init(_ score: Score) { (self.score, metres) = (score, score.metres) }

  /// The number of a bar as printed, or its place in the score.
  func number(ofBar index: Int) -> String {
    let printed = score.bars.indices.contains(index) ? score.bars[index].number : ""
    return printed.isEmpty ? "\(index + 1)" : printed
  }

  /// The beat at an offset: `2`, or `2 1/3` after a third of the second beat. A pick-up counts from the end of its bar.
  func beat(_ offset: Fraction, inBar index: Int) -> String {
    guard score.bars.indices.contains(index) else { return "1" }
    let (bar, metre) = (score.bars[index], metres[index])
    var position = offset
    if bar.isImplicit, index == 0, bar.length < metre.length {
      position = (try? offset + (metre.length - bar.length)) ?? offset
    }
    guard let beats = try? position / metre.beat else { return "1" }
    let whole = beats.floor(times: 1)
    guard let rest = try? beats - Fraction(Int(clamping: whole)), rest > .zero else { return "\(whole + 1)" }
    return "\(whole + 1) \(rest.numerator)/\(rest.denominator)"
  }
}
