import MusicalTime

/// The assignment of the onsets of a recording to the onsets of the reference.
///
/// Each onset of the reference has a window. The window extends halfway to the previous and to the next onset of the
/// reference, but at most 100 ms to each side. An onset of the other recording is assigned to the onset of the reference in
/// whose window it is. If several onsets are in one window, the nearest is assigned and the others are extra.
///
/// An onset of the reference whose window is empty is missing if the other recording covers its instant. An onset of the other
/// recording that is in no window is extra if the reference covers its instant.
struct OnsetMatching {
  /// Indices into the onsets of the reference and of the other recording, both ascending.
  private(set) var pairs: [(Int, Int)] = []
  /// For each pair, how far the window extends to the side on which the assigned onset is.
  private(set) var tolerances: [Nanoseconds] = []
  /// The number of onsets of the reference that are missing in the other recording.
  private(set) var missing = 0
  /// The number of onsets of the other recording that are extra.
  private(set) var extra = 0

  /// The maximum distance of two assigned onsets.
  private static let maximumDistance = Nanoseconds.milliseconds(100)

  /// Assigns the onsets. Both arrays are in ascending order. `span` extends from the first to the last frame of the reference,
  /// `otherSpan` from the first to the last frame of the other recording.
  init(_ reference: [Instant], span: ClosedRange<Instant>, _ other: [Instant], span otherSpan: ClosedRange<Instant>) {
    // The first onset of the other recording that is not yet assigned or counted.
    var next = 0
    for (index, onset) in reference.enumerated() {
      // The window of `onset` extends from `early` before it (inclusive) to `late` after it (exclusive).
      let early = index > 0 ? Self.half(onset - reference[index - 1]) : Self.maximumDistance
      let late = index + 1 < reference.count ? Self.half(reference[index + 1] - onset) : Self.maximumDistance
      while next < other.count, other[next] < onset - early {
        if span.contains(other[next]) { extra += 1 }
        next += 1
      }
      // All onsets in the window except the nearest one are extra, even if they are outside `span`.
      var nearest: Int?
      while next < other.count, other[next] - onset < late {
        if let best = nearest, (other[best] - onset).magnitude <= (other[next] - onset).magnitude {
          extra += 1
        } else {
          if nearest != nil { extra += 1 }
          nearest = next
        }
        next += 1
      }
      if let nearest {
        pairs.append((index, nearest))
        tolerances.append(other[nearest] < onset ? early : late)
      } else if otherSpan.contains(onset) {
        missing += 1
      }
    }
    for onset in other[next...] where span.contains(onset) { extra += 1 }
  }

  /// Returns half of `length`, limited to the maximum distance.
  private static func half(_ length: Nanoseconds) -> Nanoseconds { min(Nanoseconds(length.count / 2), maximumDistance) }
}
