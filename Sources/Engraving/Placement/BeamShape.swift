/// The line of a beam: where it lies, and how it slants.
///
/// The slant follows the interval of the outer notes and is limited (Ross, The Art of Music Engraving, chapter 3; Gould, Behind Bars,
/// chapter 2): a quarter of a space for a second, half a space for a third, and up to two spaces for wide intervals, but little for notes
/// that are close to each other. A beam is level if an inner note is nearer to it than the outer ones. Its ends lie on, under or
/// across a staff line, so that no thin gap is left in a space.
struct BeamShape {
  /// One stem of the group: its x, and the y of the note next to the beam.
  struct Stem {
    var x: Double
    var y: Double
    var levels: Int
  }

  /// The y of the outer edge at the first stem, and the slope.
  private(set) var origin: Point
  private(set) var slope: Double

  func y(at x: Double) -> Double { origin.y + (x - origin.x) * slope }

  private static let shortest = 2.5

  /// - Parameters:
  ///   - stems: at least two, in the order of x.
  ///   - lengths: the usual and the shortest length of a stem, by the number of its beams.
  init(_ stems: [Stem], isUp: Bool, scale: Double, reachesMiddle: Bool) {
    guard let first = stems.first, let last = stems.last, last.x > first.x else {
      origin = Point(stems.first?.x ?? 0, (stems.first?.y ?? 0) + (isUp ? -3.5 : 3.5))
      slope = 0
      return
    }
    // Up is positive from here on, so that both directions are one case.
    let sign = isUp ? -1.0 : 1.0
    let width = last.x - first.x
    let interval = (last.y - first.y) * sign
    var rise = Self.rise(interval, width, scale) * sign
    let outer = isUp ? min(first.y, last.y) : max(first.y, last.y)
    let isConcave = stems.dropFirst().dropLast().contains { isUp ? $0.y <= outer : $0.y >= outer }
    if isConcave { rise = 0 }
    let most = stems.map(\.levels).max() ?? 1
    let usual = (most <= 1 ? 3.25 : 3.5 + 0.6 * Double(max(most - 2, 0))) * (scale < 1 ? 0.72 : 1)
    // The beam lies at the mean of the usual lengths of the outer stems.
    var start = (first.y + last.y) / 2 + sign * usual - rise / 2
    func tip(_ stem: Stem, _ start: Double, _ rise: Double) -> Double { start + rise * (stem.x - first.x) / width }
    /// How far the beam must move outwards so that each stem is long enough.
    func lack(_ start: Double, _ rise: Double) -> Double {
      var lack = -Double.infinity
      for stem in stems {
        let least = (Self.shortest + 0.65 * Double(max(stem.levels - 2, 0))) * (scale < 1 ? 0.7 : 1)
        lack = max(lack, least - (tip(stem, start, rise) - stem.y) * sign)
        if reachesMiddle { lack = max(lack, (2 - tip(stem, start, rise)) * sign) }
      }
      return lack
    }
    start += sign * max(lack(start, rise), 0)
    var best = (cost: Double.infinity, start: start, rise: rise)
    for step in -4...6 {
      for change in [0.0, -0.25, 0.25] {
        if rise == 0, change != 0 { continue }
        let candidateRise = (rise * 4).rounded() / 4 + change
        if candidateRise * rise < 0 { continue }
        let candidate = (start * 4).rounded() / 4 + sign * Double(step) * 0.25
        let excess = lack(candidate, candidateRise)
        if excess > 0.02 { continue }
        let cost =
          abs(candidate - start) + 2 * abs(candidateRise - rise)
          + Self.penalty(candidate, isUp) + Self.penalty(candidate + candidateRise, isUp)
        if cost < best.cost { best = (cost, candidate, candidateRise) }
      }
    }
    origin = Point(first.x, best.start)
    slope = best.rise / width
  }

  /// The rise of a beam for an interval in spaces, positive outwards in the direction of its sign.
  private static func rise(_ interval: Double, _ width: Double, _ scale: Double) -> Double {
    let size = abs(interval)
    let limit: Double =
      switch size {
      case ..<0.25: 0
      case ..<0.75: 0.25
      case ..<1.25: 0.5
      case ..<1.75: 0.75
      case ..<2.25: 1
      case ..<3.25: 1.25
      default: 1.5
      }
    // Notes that are close to each other have flat beams.
    let room = width < 3 ? 0.5 : width < 5 ? 1 : 1.5
    return (interval < 0 ? -1 : 1) * min(limit, room, 0.22 * width + 0.1) * scale
  }

  /// The cost of an end inside the staff that would leave a thin gap between the beam and a line. Allowed are a beam that hangs from a line,
  /// one across it and one that sits on it.
  private static func penalty(_ y: Double, _ isUp: Bool) -> Double {
    guard y > -0.3, y < 4.3 else { return 0 }
    let fraction = y - y.rounded(.down)
    // The outer edge of a beam that is half a space thick.
    let bad = isUp ? 0.25 : 0.75
    return abs(fraction - bad) < 0.05 ? 0.6 : 0
  }
}
