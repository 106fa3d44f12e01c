/// The velocity of one part over its written bars.
///
/// A dynamic sets the velocity. A hairpin moves it in a line to the dynamic that follows its end within a quarter note, or by 24 if none
/// does. `cresc.` and `dim.` in words are printed only, because no sign says where they end. The curve follows the bars as they are
/// printed: after a repeat, the music is as loud as at the sign from which it repeats.
struct DynamicCurve {
  /// The velocity from a position on. The position is a bar and thousandths of a tick from its beginning.
  private struct Point {
    var bar: Int
    var offset: Int64
    /// Thousandths of a tick from the beginning of the score, in printed order.
    var position: Int64
    var velocity: Int
    /// The end of a hairpin, and the velocity there.
    var ramp: (end: Int64, velocity: Int)?
  }

  /// The velocity of a note at a dynamic that accents only this note, by bar and position.
  private struct Place: Hashable {
    var bar: Int
    var offset: Int64
  }

  private static let standard = 80
  private static let step = 24

  private var points: [Point] = []
  private var accents: [Place: Int] = [:]
  /// The beginning of each bar in printed order, in thousandths of a tick.
  private var starts: [Int64] = []

  init(_ part: Part, _ bars: [Bar]) {
    var start: Int64 = 0
    for bar in bars {
      starts.append(start)
      start += bar.length.rounded(times: ScorePosition.perQuarter)
    }
    points = [Point(bar: 0, offset: 0, position: .min, velocity: Self.standard)]
    for (index, bar) in part.bars.enumerated() { add(bar, index) }
    resolve()
  }

  private enum Entry {
    case dynamic(Dynamic)
    case hairpin(isCrescendo: Bool)
    case end
  }

  /// Entries in printed order: the signs between staves, and those at chords.
  private var entries: [(place: Place, entry: Entry)] = []

  private mutating func add(_ bar: PartBar, _ index: Int) {
    var list: [(place: Place, entry: Entry)] = []
    for mark in bar.marks {
      let place = Place(bar: index, offset: mark.offset.rounded(times: ScorePosition.perQuarter))
      switch mark.content {
      case .dynamic(let dynamic): list.append((place, .dynamic(dynamic)))
      case .hairpin(let isCrescendo, _): list.append((place, .hairpin(isCrescendo: isCrescendo)))
      case .hairpinEnd: list.append((place, .end))
      default: break
      }
    }
    for voice in bar.voices {
      for chord in voice.chords {
        guard let dynamic = chord.dynamic else { continue }
        list.append(
          (Place(bar: index, offset: chord.onset.rounded(times: ScorePosition.perQuarter)), .dynamic(dynamic)))
      }
    }
    entries += list.enumerated().sorted { ($0.element.place.offset, $0.offset) < ($1.element.place.offset, $1.offset) }
      .map(\.element)
  }

  private mutating func resolve() {
    var velocity = Self.standard
    var open: Int?
    for (index, (place, entry)) in entries.enumerated() {
      let position = starts[place.bar] + place.offset
      var point = Point(bar: place.bar, offset: place.offset, position: position, velocity: velocity)
      switch entry {
      case .dynamic(let dynamic):
        if let accent = dynamic.accent { accents[place] = accent }
        guard let next = dynamic.velocity else { continue }
        velocity = next
        open = nil
      case .hairpin(let isCrescendo):
        let target = rampTarget(after: index, velocity, isCrescendo)
        point.ramp = target
        open = points.count
      case .end:
        guard let begun = open, let ramp = points[begun].ramp else { continue }
        velocity = ramp.velocity
        open = nil
      }
      point.velocity = velocity
      points.append(point)
    }
    entries = []
  }

  /// The end and the target of the hairpin with index `index`. Without an end it lasts up to the next dynamic or hairpin, or one bar.
  private func rampTarget(after index: Int, _ velocity: Int, _ isCrescendo: Bool) -> (end: Int64, velocity: Int) {
    var end: Int64?
    for (place, entry) in entries[(index + 1)...].prefix(100) {
      let position = starts[place.bar] + place.offset
      switch entry {
      case .end where end == nil: end = position
      case .dynamic(let dynamic):
        guard let target = dynamic.velocity, (target > velocity) == isCrescendo,
          position <= (end ?? position) + ScorePosition.perQuarter
        else { break }
        return (end ?? position, target)
      case .hairpin where end == nil: end = position
      default: break
      }
      if end != nil, position > end! + ScorePosition.perQuarter { break }
    }
    let place = entries[index].place
    let usual = starts[place.bar] + place.offset + 4 * ScorePosition.perQuarter
    return (end ?? usual, min(max(velocity + (isCrescendo ? Self.step : -Self.step), 10), 127))
  }

  /// The velocity at an offset in quarter notes of a bar, 1...127.
  func velocity(bar: Int, offset: Fraction) -> Int {
    let place = Place(bar: bar, offset: offset.rounded(times: ScorePosition.perQuarter))
    if let accent = accents[place] { return accent }
    let position = starts[bar] + place.offset
    var (low, high) = (0, points.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].position <= position { low = middle } else { high = middle }
    }
    let point = points[low]
    guard let ramp = point.ramp, ramp.end > point.position else { return point.velocity }
    let share = min(position, ramp.end) - point.position
    return point.velocity + Int(Int64(ramp.velocity - point.velocity) * share / (ramp.end - point.position))
  }
}
