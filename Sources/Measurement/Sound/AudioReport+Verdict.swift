extension AudioReport.Comparison {
  /// The result in one sentence, for the beginning of the text: how many hits match, how late they are, and how many are missing. Times
  /// are in milliseconds, because a listener can judge them.
  ///
  /// - Parameter first: the name of the reference, if the comparison does not name its own.
  func verdict(reference first: String) -> String {
    let reference = reference ?? first
    guard let difference, matched > 0 else {
      return "\(name): not compared with \(reference): \(notes.first ?? "no hit matches")\n"
    }
    let mean = "on average \(abs(difference.mean).fixed(3, scale: 1e-6)) ms \(difference.mean < 0 ? "early" : "late")"
    let timing = delay.map { "delay \($0.fixed(6)) s" } ?? mean
    let spread = difference.standardDeviation.map { " (standard deviation \($0.fixed(3, scale: 1e-6)) ms)" } ?? ""
    let hits = matched + missing
    return "\(name): \(matched) of \(hits) hit\(hits == 1 ? "" : "s") of \(reference) matched, \(timing)\(spread), "
      + "\(missing) missing, \(extra) extra\n"
  }
}
