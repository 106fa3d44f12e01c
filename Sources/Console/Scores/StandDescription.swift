import Engine
import Ensemble
import PeerProtocol
import Scores

/// The payload of a frame ``FrameKind/score``: the score on the music stand, without its notes. The page requests those as SVG
/// (``ScoreStore``). It is empty if there is no score.
struct StandDescription: Encodable {
  struct Part: Encodable {
    var name: String
    var staves: Int
    /// Whether the part sounds at the peer.
    var sounds: Bool
  }

  struct Section: Encodable {
    /// The index of the bar.
    var bar: Int
    /// The text of the rehearsal mark.
    var name: String
  }

  /// 32 hexadecimal digits; nil if there is no score.
  var digest: String?
  var name: String?
  /// Whether the peer has the score. Without it, the members below are empty.
  var isHere = false
  var parts: [Part] = []
  /// The printed number of each bar; empty for a bar without a number.
  var bars: [String] = []
  var sections: [Section] = []

  init(_ stand: PeerSnapshot.Stand?) {
    guard let stand else { return }
    (digest, name) = ("\(stand.digest)", stand.name)
    guard let score = stand.score else { return }
    isHere = true
    parts = score.parts.enumerated().map { index, part in
      Part(
        name: part.name.isEmpty ? "\(index + 1)" : part.name, staves: Int(part.staves),
        sounds: stand.levels.indices.contains(index) ? stand.levels[index] > 0 : true)
    }
    bars = score.bars.map(\.number)
    for bar in score.bars.indices {
      let names = score.parts.lazy.flatMap(\.bars[bar].marks).compactMap {
        if case .rehearsal(let name) = $0.content { name } else { String?.none }
      }
      if let name = names.first { sections.append(Section(bar: bar, name: name)) }
    }
  }
}

/// The payload of a frame ``FrameKind/route``: which written bar sounds from which tick on.
struct RouteDescription: Encodable {
  /// The bars of one `ScoreLine`.
  struct Line: Encodable {
    /// The first tick at which the line applies, as decimal digits.
    var from: String
    /// The tick from which ``starts`` count, as decimal digits.
    var origin: String
    /// The length of a turn in ticks; 0 if the bars do not repeat.
    var loop: Int64
    /// The index of each bar in the order in which they sound.
    var bars: [Int]
    /// The tick at which each bar begins, and that at which the last one ends. A tick can have a fraction.
    var starts: [Double]
  }

  /// The largest number of bars of a line. The stand shows no position in the bars after these.
  static let maximumBars = 20_000

  /// In the order of ``Line/from``.
  var lines: [Line] = []

  init(_ stand: PeerSnapshot.Stand?) {
    guard let score = stand?.score else { return }
    lines = (stand?.lines ?? []).compactMap { entry in
      guard let route = try? entry.line.route(in: score), !route.bars.isEmpty else { return nil }
      let bars = route.bars.prefix(Self.maximumBars)
      let last = bars.count < route.bars.count ? route.bars[bars.count].start : route.end
      let starts = (bars.map(\.start) + [last]).map { Double(ScorePosition($0).thousandths) / 1000 }
      // A turn is rounded up to a tick, as in `ScorePlan`.
      let loop = entry.line.loopEnd > 0 ? (ScorePosition(route.end).thousandths + 999) / 1000 : 0
      return Line(
        from: "\(entry.tick.index)", origin: "\(entry.line.origin.index)", loop: loop, bars: bars.map(\.bar),
        starts: starts)
    }
  }
}
