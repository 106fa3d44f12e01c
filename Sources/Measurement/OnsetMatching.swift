import MusicalTime

/// Which onsets of a recording are which of the reference.
///
/// An onset belongs to the reference's onset nearest in time, if it lies within half the distance to that one's
/// neighbour on its side, and within 100 ms. Of several that belong to one, the nearest is it, the others are extra.
/// Onsets are looked for only where both recordings ran.
struct OnsetMatching {
  /// Indices into the onsets of the reference and of the other, both rising.
  private(set) var pairs: [(Int, Int)] = []
  /// Onsets of the reference without a partner, while the other recording ran.
  private(set) var missing = 0
  /// Onsets of the other without a partner, while the reference ran.
  private(set) var extra = 0

  private static let reach = Nanoseconds.milliseconds(100)

  /// Onsets rise; spans are from a recording's first frame to its last.
  init(_ reference: [Instant], span: ClosedRange<Instant>, _ other: [Instant], span otherSpan: ClosedRange<Instant>) {
    var next = 0
    for (index, onset) in reference.enumerated() {
      let early = index > 0 ? Self.half(onset - reference[index - 1]) : Self.reach
      let late = index + 1 < reference.count ? Self.half(reference[index + 1] - onset) : Self.reach
      while next < other.count, other[next] < onset - early {
        if span.contains(other[next]) { extra += 1 }
        next += 1
      }
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
      } else if otherSpan.contains(onset) {
        missing += 1
      }
    }
    for onset in other[next...] where span.contains(onset) { extra += 1 }
  }

  private static func half(_ length: Nanoseconds) -> Nanoseconds { min(Nanoseconds(length.count / 2), reach) }
}
