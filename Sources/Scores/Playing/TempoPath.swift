public import MusicalTime

/// The tempo of a score along a route: changes at ticks, the first at tick 0.
///
/// Marks set the tempo. A ritardando falls to 2/3 of the tempo, an accelerando rises to 4/3, or to the tempo of the mark that ends it if
/// this is lower or higher. The tempo is linear in musical position: the curve with q = 1 of Friberg and Sundberg ("Does music performance
/// allude to locomotion?", 1999). It has one step per eighth note, whose tempo is that of its middle. It lasts up to the next mark, the
/// next double bar line, or four bars, and the tempo of before returns unless a mark follows. A fermata doubles the length of its notes.
///
/// A route that begins at another bar than the first has the tempo that is in force there when the bars before it are played once each, in
/// the order of print. A ritardando or accelerando that has begun before goes on.
public struct TempoPath: Hashable, Sendable {
  /// In the order of their ticks, all different.
  public private(set) var changes: [TempoChange] = []

  /// Ticks per eighth note.
  private static let step = Tick.perQuarter / 2
  private static let maximumBars = 4
  /// The tempo without any mark.
  private static let standard = 120_000

  /// Creates the tempo path of a valid score along one of its routes.
  public init(_ score: Score, along route: Route) {
    let bars = Self.prelude(score, to: route) + route.bars
    var builder = Builder(score)
    for index in bars.indices { builder.add(bars, index, end: route.end) }
    builder.finish(from: bars[0].start, to: route.end)
    changes = builder.changes()
  }

  /// The bars before the first bar of a route, in the order of print. They end at position 0.
  private static func prelude(_ score: Score, to route: Route) -> [Route.PlayedBar] {
    let bars = score.bars[..<route.bars[0].bar]
    var length = Fraction.zero
    for bar in bars { length = (try? length + bar.length) ?? length }
    // The sums fit, because the denominators of a valid score are bounded.
    var position = (try? Fraction.zero - length) ?? .zero
    return bars.indices.map { bar in
      defer { position = (try? position + bars[bar].length) ?? position }
      return Route.PlayedBar(bar: bar, pass: 1, isAfterJump: false, start: position)
    }
  }

  /// The timelines of all changes, if tick 0 is due at `instant`. Each begins where the one before leaves off.
  public func timelines(from instant: Instant) -> [Timeline] {
    var list: [Timeline] = []
    for change in changes {
      list.append(
        list.last?.changing(to: change.tempo, at: change.tick)
          ?? Timeline(tempo: change.tempo, tick: change.tick, at: instant))
    }
    return list
  }

  /// The index of the change that holds at a tick.
  public func index(at tick: Tick) -> Int {
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].tick <= tick { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Construction

  /// The marks and fermatas of a route in the order of their ticks.
  private struct Builder {
    private enum Entry {
      /// Thousandths of a quarter note per minute.
      case tempo(Int)
      case ramp(isFaster: Bool)
      case aTempo
      case tempoPrimo
    }

    private let marks: [[TempoMark]]
    private let fermatas: [[ClosedRange<Fraction>]]
    private let isSectionEnd: [Bool]
    private let first: Int
    private var entries: [(tick: Int64, entry: Entry)] = []
    /// The ticks at which a ramp ends at the latest.
    private var limits: [Int64] = []
    private var holds: [Range<Int64>] = []
    private var start: Int64 = 0
    private var end: Int64 = 0

    init(_ score: Score) {
      var marks = [[TempoMark]](repeating: [], count: score.bars.count)
      for mark in score.tempoMarks { marks[mark.bar].append(mark) }
      self.marks = marks
      fermatas = Fermatas.ranges(in: score)
      isSectionEnd = score.bars.map { $0.line == .double || $0.line == .final || $0.repeatEnd != nil }
      let tempos = score.tempoMarks.lazy.compactMap {
        if case .tempo(let tempo) = $0.content { tempo } else { Int?.none }
      }
      first = tempos.first ?? TempoPath.standard
    }

    /// Adds the bar with index `index` of `bars`, which end at `end`.
    mutating func add(_ bars: [Route.PlayedBar], _ index: Int, end: Fraction) {
      let played = bars[index]
      let next = index + 1 < bars.count ? bars[index + 1].start : end
      if isSectionEnd[played.bar] { limits.append(Self.tick(next)) }
      for mark in marks[played.bar] {
        guard let position = try? played.start + mark.offset else { continue }
        let entry: Entry =
          switch mark.content {
          case .tempo(let tempo): .tempo(tempo)
          case .ritardando: .ramp(isFaster: false)
          case .accelerando: .ramp(isFaster: true)
          case .aTempo: .aTempo
          case .tempoPrimo: .tempoPrimo
          }
        entries.append((Self.tick(position), entry))
        if case .ramp = entry {
          let last = index + TempoPath.maximumBars
          limits.append(Self.tick(last < bars.count ? bars[last].start : end))
        }
      }
      for fermata in fermatas[played.bar] {
        guard let from = try? played.start + fermata.lowerBound, let to = try? played.start + fermata.upperBound else {
          continue
        }
        let range = Self.tick(from)..<max(Self.tick(to), Self.tick(from) + 1)
        // Fermatas of several parts that overlap are one.
        if let last = holds.last, last.upperBound > range.lowerBound {
          holds[holds.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          holds.append(range)
        }
      }
    }

    mutating func finish(from start: Fraction, to end: Fraction) {
      self.start = min(Self.tick(start), 0)
      self.end = Self.tick(end)
      limits.append(self.end)
      limits.sort()
    }

    private static func tick(_ position: Fraction) -> Int64 { position.rounded(times: Tick.perQuarter) }

    /// The changes without fermatas, as thousandths of a quarter note per minute.
    private func tempos() -> [(tick: Int64, tempo: Int)] {
      var list = [(tick: start, tempo: first)]
      var (base, current) = (first, first)
      var limit = 0
      for (index, (tick, entry)) in entries.enumerated() {
        switch entry {
        case .tempo(let tempo): (base, current) = (tempo, tempo)
        case .aTempo: current = base
        case .tempoPrimo: (base, current) = (first, first)
        case .ramp(let isFaster):
          while limit < limits.count, limits[limit] <= tick { limit += 1 }
          let following = index + 1 < entries.count ? entries[index + 1] : nil
          let stop = min(limit < limits.count ? limits[limit] : end, following?.tick ?? .max)
          var target = isFaster ? current * 4 / 3 : current * 2 / 3
          if let following, following.tick == stop, case .tempo(let tempo) = following.entry {
            target = isFaster ? max(target, tempo) : min(target, tempo)
          }
          target = min(max(target, TempoMark.range.lowerBound), TempoMark.range.upperBound)
          current = append(rampTo: target, from: current, tick, stop, &list)
          if following?.tick != stop {
            // Nothing says how the music goes on: the tempo of before returns.
            current = base
            list.append((stop, base))
          }
          continue
        }
        list.append((tick, current))
      }
      return list
    }

    private func append(
      rampTo target: Int, from start: Int, _ tick: Int64, _ stop: Int64, _ list: inout [(tick: Int64, tempo: Int)]
    ) -> Int {
      var from = tick
      var last = start
      while from < stop {
        let to = min(from + TempoPath.step, stop)
        // The middle of the step, in half ticks from the beginning.
        let middle = Int(from + to - 2 * tick)
        last = start + (target - start) * middle / Int(2 * (stop - tick))
        list.append((from, last))
        from = to
      }
      return last
    }

    /// The changes from tick 0 on with the fermatas: inside a hold each tempo is half.
    func changes() -> [TempoChange] {
      let plain = tempos()
      var points = Set(plain.map(\.tick) + [0])
      for hold in holds { points.formUnion([hold.lowerBound, hold.upperBound]) }
      var changes: [TempoChange] = []
      var (next, hold) = (0, 0)
      var current = first
      for tick in points.sorted() where tick < end || tick == 0 {
        while next < plain.count, plain[next].tick <= tick {
          current = plain[next].tempo
          next += 1
        }
        while hold < holds.count, holds[hold].upperBound <= tick { hold += 1 }
        if tick < 0 { continue }
        let isHeld = hold < holds.count && holds[hold].contains(tick)
        let tempo = Self.tempo(length: 60_000_000_000_000 / Int64(isHeld ? current / 2 : current))
        if changes.last?.tempo != tempo { changes.append(TempoChange(tempo: tempo, tick: Tick(tick))) }
      }
      return changes
    }

    /// The tempo of a length in nanoseconds per quarter note, within the limits of `Tempo`.
    private static func tempo(length: Int64) -> Tempo {
      Tempo(nanosecondsPerQuarter: min(max(length, Tempo.lengths.lowerBound), Tempo.lengths.upperBound)) ?? .standard
    }
  }
}
