/// The differences of the matched hits of two recordings, in frames: the position of each hit in the other recording minus its position
/// in the reference.
///
/// The differences are measured in three steps.
///
/// 1. Each hit is correlated (``HitCorrelation``) near its detected onset, with both polarities. The polarity whose coefficients have the
///    larger sum is that of the recording. A wrong polarity also has maxima, beside the true position, but with smaller coefficients.
/// 2. A hit without a match is correlated again near the difference of the nearest correlated hit. The detected onset of a soft hit in the
///    tail of another hit can be wrong by more than the range of the correlation.
/// 3. If fewer than a quarter of the hits are correlated, the recordings contain different sounds, and the few matches occur by chance.
///    All differences are then those of the detected onsets.
struct HitDifferences {
  /// The difference of each pair in frames.
  private(set) var frames: [Double]
  /// Whether each difference was measured by correlation; otherwise it is the difference of the detected onsets.
  private(set) var isCorrelated: [Bool]
  /// Whether the polarity of one recording is inverted.
  private(set) var isInverted = false

  /// The smallest share of correlated hits in recordings of the same sounds.
  private static let smallestShare = 0.25

  /// Measures the differences of pairs of hits.
  ///
  /// - Parameters:
  ///   - pairs: for each pair, the index of the onset in the reference and in the other recording, both ascending.
  ///   - reference: the reference.
  ///   - other: the other recording, with the same sample rate.
  init(_ pairs: [(Int, Int)], reference: AnalysedRecording, other: AnalysedRecording) {
    let (first, second) = (reference.recording.samples, other.recording.samples)
    let correlation = HitCorrelation(rate: reference.recording.rate)
    let matches = pairs.map { a, b in
      let found = correlation.matches(reference.frames[a], in: first, near: other.frames[b], in: second)
      return [found.upright, found.inverted].map { $0.flatMap { $0.isSameSound ? $0 : nil } }
    }
    let sums = [0, 1].map { polarity in matches.reduce(0) { $0 + ($1[polarity]?.coefficient ?? 0) } }
    let polarity = sums[1] > sums[0] ? 1 : 0
    var differences = zip(pairs, matches).map { pair, match in
      match[polarity].map { $0.position - Double(reference.frames[pair.0]) }
    }
    let correlated = differences.indices.filter { differences[$0] != nil }
    // The position in `correlated` of the next correlated hit.
    var next = 0
    for index in differences.indices where differences[index] == nil && !correlated.isEmpty {
      while next < correlated.count, correlated[next] < index { next += 1 }
      let neighbours = [next - 1, next].filter(correlated.indices.contains).map { correlated[$0] }
      guard let nearest = neighbours.min(by: { abs($0 - index) < abs($1 - index) }), let guess = differences[nearest]
      else { continue }
      let frame = reference.frames[pairs[index].0]
      let found = correlation.matches(frame, in: first, near: frame + Int(guess.rounded()), in: second)
      guard let match = polarity == 1 ? found.inverted : found.upright, match.isSameSound else { continue }
      differences[index] = match.position - Double(frame)
    }
    if Double(differences.count { $0 != nil }) < Self.smallestShare * Double(pairs.count) {
      differences = pairs.map { _ in nil }
    }
    isCorrelated = differences.map { $0 != nil }
    isInverted = polarity == 1 && isCorrelated.contains(true)
    frames = zip(pairs, differences).map { $1 ?? Double(other.frames[$0.1] - reference.frames[$0.0]) }
  }
}
