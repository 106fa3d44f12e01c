extension ClockStamps {
  /// Keeps the stamps of a section of the file.
  ///
  /// - Parameters:
  ///   - start: the beginning of the section in seconds after the first stamp; nil: the first stamp.
  ///   - end: the end of the section in seconds after the first stamp; nil: the last stamp. A stamp at the end belongs to the section.
  /// - Throws: ``ReportError`` if the section contains fewer than three stamps.
  ///
  /// Real-time: not safe.
  public mutating func keep(from start: Double?, to end: Double?) throws(ReportError) {
    guard start != nil || end != nil, let first = stamps.first, let last = stamps.last else { return }
    // The stamps of a trace can decrease at the start of a run, so each stamp is compared.
    let (low, high) = (Self.instant(start ?? 0, after: first), end.map { Self.instant($0, after: first) } ?? Int64.max)
    keep { stamp, _ in low <= stamp && stamp <= high }
    guard stamps.count >= 3 else {
      let options = [start.map { "--from \($0)" }, end.map { "--to \($0)" }].compactMap(\.self).joined(separator: " ")
      throw ReportError(
        subject: "\(name) \(options)", reason: "fewer than 3 stamps in this section",
        remedy: "give a longer section; the last stamp is "
          + "\((Double(Int128(last) - Int128(first)) / 1e9).fixed(3)) s after the first")
    }
  }

  /// Removes the first ticks of each run, for example while a clock settles after its start. A run without any other tick is removed as a
  /// whole. The tick numbers must be known (``advances``).
  ///
  /// - Parameter count: the number of ticks. A lost tick counts.
  /// - Throws: ``ReportError`` if no stamps remain.
  mutating func removeFirstTicks(_ count: Int) throws(ReportError) {
    guard count > 0 else { return }
    var number: Int64 = 0
    keep { _, advance in
      number = advance == Self.restart ? 0 : number + Int64(advance)
      return number >= count
    }
    guard !stamps.isEmpty else {
      throw ReportError(
        subject: "\(name) --skip \(count)", reason: "no run has more than \(count) ticks", remedy: "skip fewer ticks")
    }
  }

  /// Keeps the stamps that fulfil `condition`, which receives each stamp and its advance, in order. The advance is 0 while it is unknown. A
  /// stamp after a removed stamp begins a run.
  private mutating func keep(where condition: (Int64, Int32) -> Bool) {
    var (kept, followsRemoved) = (0, true)
    for index in stamps.indices {
      guard condition(stamps[index], advances.isEmpty ? 0 : advances[index]) else {
        followsRemoved = true
        continue
      }
      stamps[kept] = stamps[index]
      if !advances.isEmpty { advances[kept] = followsRemoved ? Self.restart : advances[index] }
      (kept, followsRemoved) = (kept + 1, false)
    }
    stamps.removeLast(stamps.count - kept)
    if !advances.isEmpty { advances.removeLast(advances.count - kept) }
  }

  /// Returns the instant `seconds` after `first`, limited to the range of `Int64`.
  private static func instant(_ seconds: Double, after first: Int64) -> Int64 {
    let (sum, overflow) = first.addingReportingOverflow(Int64((min(max(seconds, -9e9), 9e9) * 1e9).rounded()))
    return overflow ? (seconds < 0 ? .min : .max) : sum
  }
}
