import Scores

/// Positions and lengths of one part as integers.
///
/// Layout compares onsets of all voices many times. It therefore counts in the common denominator of all fractions of the part, so
/// that every onset is an exact integer.
struct Timebase {
  /// The ticks of a quarter note, 1...``Score/Limits/denominator``.
  let ticksPerQuarter: Int

  /// - Throws: ``ScoreFault`` if the denominators have no common multiple within the limit.
  init(_ score: Score, _ part: Part) throws(ScoreFault) {
    var common: Int64 = 1
    func add(_ value: Fraction) throws(ScoreFault) {
      if common % value.denominator == 0 { return }
      var (a, b) = (common, value.denominator)
      while b != 0 { (a, b) = (b, a % b) }
      let (product, overflow) = common.multipliedReportingOverflow(by: value.denominator / a)
      guard !overflow, product <= Score.Limits.denominator else {
        throw ScoreFault("part \(part.name)", "the note values are too fine", "use simpler ones")
      }
      common = product
    }
    for bar in score.bars { try add(bar.length) }
    for mark in score.tempoMarks { try add(mark.offset) }
    for bar in part.bars {
      for voice in bar.voices {
        for chord in voice.chords {
          try add(chord.onset)
          try add(chord.length)
        }
      }
      for change in bar.changes { try add(change.offset) }
      for mark in bar.marks { try add(mark.offset) }
      for symbol in bar.symbols { try add(symbol.offset) }
    }
    ticksPerQuarter = Int(common)
  }

  /// The position or length in ticks. A score that is valid has no other fractions than those of ``init(_:_:)``.
  func ticks(_ value: Fraction) -> Int {
    let (ticks, overflow) = value.numerator.multipliedReportingOverflow(
      by: Int64(ticksPerQuarter) / max(value.denominator, 1))
    return overflow ? 0 : Int(ticks)
  }

  func fraction(_ ticks: Int) -> Fraction { Fraction(Int64(ticks), Int64(ticksPerQuarter)) ?? .zero }
}
