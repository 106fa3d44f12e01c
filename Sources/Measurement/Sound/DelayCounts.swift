import MusicalTime

/// The numbers of pairs of onsets of two recordings for each delay, in bins of 5 ms. A pair is an onset of the reference and an onset of
/// the other recording.
struct DelayCounts {
  /// The width of a bin in nanoseconds.
  private static let width: Int64 = 5_000_000
  /// The number of bins on each side of a bin that belong to the same delay.
  static let neighbours = 2
  /// The maximum number of onsets, at the beginning of each recording, from which the pairs are formed. The work grows with the
  /// square of this number.
  private static let limit = 4_000

  /// The delay to which the bins are relative, in nanoseconds. It is the lower edge of bin 0.
  private let base: Int64
  /// For each bin that is not empty: the number of its pairs, and the sum of their delays minus ``base``, in nanoseconds.
  private var bins: [Int: (pairs: Int, sum: Double)] = [:]

  /// Counts the pairs.
  ///
  /// - Parameters:
  ///   - reference: the onsets of the reference, ascending.
  ///   - other: the onsets of the recording, ascending.
  ///   - base: the delay to which the bins are relative, in nanoseconds.
  ///   - range: the delays to count, relative to `base`, in nanoseconds.
  init(reference: [Instant], other: [Instant], base: Int64, range: ClosedRange<Int64>) {
    self.base = base
    let others = other.prefix(Self.limit)
    var begin = others.startIndex
    for onset in reference.prefix(Self.limit) {
      while begin < others.endIndex, (others[begin] - onset).count - base < range.lowerBound { begin += 1 }
      for other in others[begin...] {
        let delay = (other - onset).count - base
        if delay > range.upperBound { break }
        let bin = Int((Double(delay) / Double(Self.width)).rounded(.down))
        let old = bins[bin] ?? (0, 0)
        bins[bin] = (old.pairs + 1, old.sum + Double(delay))
      }
    }
  }

  /// The bins that are not empty, in no particular order.
  var occupied: some Collection<Int> { bins.keys }

  /// Returns the number of pairs in a bin and its neighbours.
  func pairs(_ bin: Int) -> Int {
    (bin - Self.neighbours...bin + Self.neighbours).reduce(0) { $0 + (bins[$1]?.pairs ?? 0) }
  }

  /// Returns the mean delay of the pairs in a bin and its neighbours, in nanoseconds. If there are no pairs, returns the middle of the bin.
  func delay(_ bin: Int) -> Int64 {
    let pairs = pairs(bin)
    let sum = (bin - Self.neighbours...bin + Self.neighbours).reduce(0) { $0 + (bins[$1]?.sum ?? 0) }
    return base + (pairs > 0 ? Int64((sum / Double(pairs)).rounded()) : Int64(bin) * Self.width + Self.width / 2)
  }
}
