import MusicalTime

/// Compares the hits of a recording with those of the reference.
struct AudioComparison {
  /// The figures.
  private(set) var figures: AudioReport.Comparison
  /// The matched hits. Empty if the recordings do not correspond.
  private(set) var hits: [AudioHit] = []

  /// The largest standard deviation of the relative differences in related recordings. A relative difference is the difference of a
  /// hit divided by the largest difference at which the hit would still be matched, so it is between -1 and 1. In unrelated
  /// recordings, the relative differences are distributed evenly, with a standard deviation of 1 / sqrt(3), 0.58.
  private static let unrelatedSpread = 0.45
  /// The largest magnitude of a delay between recordings with a common clock, in nanoseconds, and the largest difference of another delay
  /// from the measured one of recordings without a common clock.
  private static let (plausibleDelay, greatestAlternative): (Int64, Int64) = (1_000_000_000, 10_000_000_000)
  /// The smallest number of hits with which recordings can be considered unrelated.
  private static let fewestHits = 8

  init(reference: AnalysedRecording, other: AnalysedRecording, aligns: Bool) {
    figures = AudioReport.Comparison(name: other.recording.name)
    guard !other.frames.isEmpty else {
      figures.missing = reference.onsets.count { other.span.contains($0) }
      figures.notes = [
        (other.isSilent ? "silent" : "no hits detected") + "; give the recording of a peer that played"
      ]
      return
    }
    var line = AlignmentLine()
    if aligns {
      guard let search = DelaySearch(reference: reference.onsets, other: other.onsets) else {
        figures.notes = ["no delay found; give recordings with at least \(DelaySearch.fewestHits) hits in common"]
        return
      }
      line = search.line
    } else if !reference.span.overlaps(other.span) {
      figures.notes = ["does not overlap the reference in time; if their clocks are unrelated, use --align"]
      return
    }
    compare(reference, other, line: line, aligns: aligns)
  }

  /// Matches and measures the hits. For the matching, `line` converts the onsets of `other` to instants of the reference.
  private mutating func compare(
    _ reference: AnalysedRecording, _ other: AnalysedRecording, line: AlignmentLine, aligns: Bool
  ) {
    let matching = OnsetMatching(
      reference.onsets, span: reference.span, other.onsets.map(line.aligned),
      span: line.aligned(
        other.span.lowerBound)...max(line.aligned(other.span.lowerBound), line.aligned(other.span.upperBound)))
    (figures.matched, figures.missing, figures.extra) = (matching.pairs.count, matching.missing, matching.extra)
    guard !matching.pairs.isEmpty else {
      figures.notes.append("no hit is within 100 ms of a hit of the reference" + (aligns ? "" : "; try --align"))
      return
    }
    let (first, second, rate) = (reference.recording, other.recording, Double(reference.recording.rate))
    // The beginning of the other recording relative to that of the reference, in nanoseconds.
    let start = Double((second.firstInstant - first.firstInstant).count)
    // The correlation determines the differences of the hits more exactly than the onset detection does.
    let measured = HitDifferences(matching.pairs, reference: reference, other: other)
    var differences = matching.pairs.indices.map { index in
      (
        time: reference.onsets[matching.pairs[index].0], value: start + measured.frames[index] * 1e9 / rate,
        isCorrelated: measured.isCorrelated[index]
      )
    }
    figures.isInverted = measured.isInverted
    if measured.isInverted {
      figures.notes.append(
        "the polarity is inverted against the reference; the differences allow for the inversion, so they remain valid")
    }
    figures.correlated = differences.count { $0.isCorrelated }
    // If the recordings are aligned, `line` removes the delay and the drift, which the differences still contain.
    guard
      !isUnrelated(
        differences.map { line.aligned($0.time + Nanoseconds(Int64($0.value.rounded()))) - $0.time }, matching)
    else {
      figures.notes.append(
        "the hits do not correspond to those of the reference, so there are no figures; give recordings of the same "
          + "music" + (aligns ? "" : ", or use --align if they did not begin together"))
      return
    }
    let delay = Distribution(differences.map(\.value))?.p50 ?? 0
    noteRepetition(reference, other, delay: Int64(delay.rounded()), aligns: aligns, measured)
    if aligns {
      figures.delay = delay / 1e9
      for index in differences.indices { differences[index].value -= delay }
      figures.notes.append(
        "--align subtracts the median difference, so the figures show the deviations from the median, and not which "
          + "recording is earlier")
    }
    measure(differences)
    hits = zip(matching.pairs, differences).map { pair, difference in
      AudioHit(
        recording: figures.name, hit: pair.0, time: (difference.time - first.firstInstant).seconds,
        difference: difference.value, isCorrelated: difference.isCorrelated)
    }
  }

  /// Whether the recordings contain different music: fewer than half of the hits match, or the differences of the matched hits
  /// are spread too widely (``unrelatedSpread``).
  private func isUnrelated(_ differences: [Nanoseconds], _ matching: OnsetMatching) -> Bool {
    // The largest number of hits that can match: the hits of the recording that has fewer of them.
    let total = matching.pairs.count + min(matching.missing, matching.extra)
    guard total >= Self.fewestHits else { return false }
    if 2 * matching.pairs.count < total { return true }
    let relative = zip(differences, matching.tolerances).map { Double($0.count) / Double(max($1.count, 1)) }
    return (Distribution(relative)?.standardDeviation ?? 0) > Self.unrelatedSpread
  }

  /// Adds the other delays that fit, because the music repeats.
  private mutating func noteRepetition(
    _ reference: AnalysedRecording, _ other: AnalysedRecording, delay: Int64, aligns: Bool,
    _ differences: HitDifferences
  ) {
    // If the clocks are known, delays of more than a second are implausible.
    let range =
      aligns
      ? -Self.greatestAlternative...Self.greatestAlternative
      : -Self.plausibleDelay - delay...Self.plausibleDelay - delay
    let repetition = Repetition(
      reference: reference, other: other, delay: delay, range: range, differences: differences)
    guard let repetition else { return }
    (figures.repetition, figures.otherDelays) = (repetition.period, repetition.delays)
    let others = repetition.delays.map { "\($0.fixed(3)) s" }.joined(separator: " or ")
    let fit = repetition.delays.count == 1 ? "fits" : "fit"
    figures.notes.append(
      "the delay is ambiguous, because the music repeats every \(repetition.period.fixed(3)) s: a delay of \(others) "
        + "\(fit) as well as \((Double(delay) / 1e9).fixed(3)) s; play music that does not repeat within the possible "
        + "delays")
  }

  /// Calculates the figures of the differences.
  private mutating func measure(_ differences: [(time: Instant, value: Double, isCorrelated: Bool)]) {
    var fit = DriftFit()
    // The difference of a hit without correlation can be wrong and must not change the slope of the line. Such hits are used
    // only if they are the majority.
    let correlated = differences.filter(\.isCorrelated)
    let exact = 2 * correlated.count >= differences.count ? correlated : differences
    for difference in exact { fit.append(difference.value, at: difference.time) }
    figures.difference = Distribution(differences.map(\.value))
    figures.magnitude = Distribution(differences.map { abs($0.value) })
    figures.correlatedDifference = Distribution(correlated.map(\.value))
    figures.correlatedMagnitude = Distribution(correlated.map { abs($0.value) })
    if exact.count > 2 {
      figures.residual = Distribution(exact.map { $0.value - (fit.value(at: $0.time) ?? 0) })
    }
    (figures.drift, figures.driftError) = (fit.partsPerMillion, fit.error?.standardError)
    let signs = differences.map(\.value).filter { $0 != 0 }.map { $0 > 0 }
    figures.signChanges = zip(signs, signs.dropFirst()).count { $0 != $1 }
    if 2 * figures.correlated < figures.matched {
      figures.notes.append(
        (figures.correlated == 0 ? "all" : "most")
          + " hits sound different in the two recordings, so their times are those of detected onsets, with an accuracy "
          + "of 1 ms at best")
    }
  }
}
