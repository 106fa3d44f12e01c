public import MusicalTime

/// The assignment of the onsets of a recording to the clicks of a pattern (``ClickPattern``).
///
/// The shift is the time by which the whole pattern is late in the recording. Each pair of a click and an onset proposes a shift: the
/// onset minus the click. Most clicks propose the true shift. Only a few clicks propose the same wrong shift, because the pattern is
/// irregular. The onsets of an echo propose a later shift than those of the direct sound. Therefore, the result is the earliest shift
/// that enough clicks propose.
struct ClickMatch {
  /// For each click that has an onset, in the order of the clicks: the index of the click, and the onset minus the click in seconds.
  private(set) var pairs: [(click: Int, shift: Double)]

  /// The result of the search.
  enum Outcome {
    case found(ClickMatch)
    /// Too few clicks have an onset at any shift. The value is the greatest number of clicks that have an onset at one shift.
    case tooFew(Int)
    /// The second shift has enough clicks. The first shift is earlier and has nearly enough clicks, or rises of power at half of the
    /// clicks, so it may be the direct sound. Both are in seconds.
    case ambiguous(Double, Double)
  }

  /// The greatest difference, in seconds, between the shifts that the clicks of one match propose. It covers the errors of the onsets,
  /// and a recording clock whose rate is wrong by up to 300 ppm.
  private static let width = 0.004
  /// Two candidates whose shifts are closer than this, in seconds, are one match. The search begins a candidate at each proposed shift, so
  /// one shift gives several candidates.
  private static let separation = 0.010

  /// Finds the earliest shift at which at least `required` clicks have an onset.
  ///
  /// - Parameters:
  ///   - clicks: the instants of the clicks in seconds, ascending.
  ///   - required: the number of clicks that must have an onset.
  ///   - onsets: the onsets in seconds, ascending.
  ///   - range: the possible shifts in seconds.
  ///   - rises: the rises of power, which show an earlier direct sound whose onsets are hidden by echoes.
  static func find(
    _ clicks: [Double], required: Int, in onsets: [Double], range: ClosedRange<Double>, rises: ClickRises
  ) -> Outcome {
    let candidates = candidates(clicks, in: onsets, range: range)
    let most = candidates.map(\.pairs.count).max() ?? 0
    guard let best = candidates.first(where: { $0.pairs.count >= required }) else { return .tooFew(most) }
    // A wrong shift has far fewer than `required - 3` clicks by chance. An earlier shift with this number of clicks can be a weak direct
    // sound.
    if let earlier = candidates.first(where: { $0.pairs.count >= required - 3 }), earlier.center < best.center {
      return .ambiguous(earlier.center, best.center)
    }
    if let earlier = best.earlierShift(clicks, rises: rises, lowest: range.lowerBound) {
      return .ambiguous(earlier, best.center)
    }
    return .found(best)
  }

  /// Returns the shift, in seconds, at which the power rises at the clicks before this match; nil if there is none. This match is then
  /// probably an echo, and the direct sound has too few onsets.
  ///
  /// - Parameters:
  ///   - clicks: the instants of the clicks in seconds.
  ///   - rises: the rises of power.
  ///   - lowest: the smallest possible shift in seconds.
  func earlierShift(_ clicks: [Double], rises: ClickRises, lowest: Double) -> Double? {
    rises.earlierShift(clicks, match: center, separation: Self.separation, lowest: lowest)
  }

  /// The median shift in seconds.
  var center: Double { pairs.map(\.shift).sorted()[pairs.count / 2] }

  /// Returns a match for each shift that at least two clicks propose, in ascending order of the shifts. Of matches closer than
  /// ``separation``, the one with the most clicks remains.
  static func candidates(_ clicks: [Double], in onsets: [Double], range: ClosedRange<Double>) -> [ClickMatch] {
    var proposals: [(shift: Double, click: Int)] = []
    for (index, click) in clicks.enumerated() {
      for onset in onsets where range.contains(onset - click) { proposals.append((onset - click, index)) }
    }
    proposals.sort { $0.shift < $1.shift }
    var candidates: [ClickMatch] = []
    var end = 0
    for start in proposals.indices {
      while end < proposals.count, proposals[end].shift - proposals[start].shift <= width { end += 1 }
      // Onsets are at least 40 ms apart (`OnsetDetector`), so each click has at most one onset within `width`.
      guard end - start > 1 else { continue }
      let match = ClickMatch(
        pairs: proposals[start..<end].map { ($0.click, $0.shift) }.sorted { $0.click < $1.click })
      if let last = candidates.last, match.center - last.center < separation {
        if match.pairs.count > last.pairs.count { candidates[candidates.count - 1] = match }
      } else {
        candidates.append(match)
      }
    }
    return candidates
  }
}

/// The times at which the reference (the loudspeaker of the peer) or the device clicks in a calibration.
///
/// A calibration measures how much later than the reference the device sounds. The reference clicks before and after the device, so
/// that a recording clock with a wrong rate has no effect on the difference. The spacing is irregular, so that clicks match only at the
/// right shift:
///
/// - All distances between two clicks of one pattern are different: a Golomb ruler with a unit of 10 ms.
/// - If one pattern is shifted against itself or against the other pattern, at most two clicks coincide.
/// - A regular sound, such as a metronome, matches only a few clicks.
///
/// The smallest distance between two clicks is 90 ms, because ``OnsetDetector`` does not separate onsets closer than 40 ms.
///
/// Real-time: not safe.
public struct ClickPattern: Hashable, Sendable {
  /// The times of the clicks since the beginning of the calibration in milliseconds, ascending.
  let milliseconds: [Int64]
  /// The number of clicks that must be found: two thirds of all, rounded up.
  let required: Int

  private init(_ milliseconds: [Int64]) {
    self.milliseconds = milliseconds
    required = (2 * milliseconds.count + 2) / 3
  }

  /// The clicks of the reference: eight before and eight after those of the device.
  public static let reference = ClickPattern([
    0, 180, 370, 570, 720, 890, 1000, 1120, 4410, 4630, 4770, 4870, 5080, 5210, 5370, 5460,
  ])
  /// The clicks of the device.
  public static let device = ClickPattern([
    1570, 1800, 1930, 2140, 2250, 2490, 2640, 2800, 2900, 3100, 3270, 3520,
  ])

  /// The number of clicks.
  public var count: Int { milliseconds.count }

  /// Returns the due instants of the clicks of a calibration that begins at `beginning`.
  ///
  /// Real-time: not safe.
  public func instants(from beginning: Instant) -> [Instant] { milliseconds.map { beginning + .milliseconds($0) } }

  /// Returns the due times of the clicks of a calibration that begins at `beginning`, in seconds.
  func seconds(from beginning: Double) -> [Double] { milliseconds.map { beginning + Double($0) / 1e3 } }
}
