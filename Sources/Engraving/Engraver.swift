public import Scores

/// Engraves one part of a score at one width.
///
/// The layers are those of printed music: what must be drawn (`Notation`), symbols with boxes (`Symbols`), the distances of columns
/// (`Spacing`), the bars of each system (`Breaking`), and everything that is placed around the notes (`Placement`). The result is a
/// display list in staff spaces.
public struct Engraver: Sendable {
  /// The largest sizes that are engraved. They bound the time for a part to about a second.
  public enum Limits {
    /// The width in staff spaces.
    public static let width = 10.0...4000.0
    /// The notes and rests of a part.
    public static let notes = 40_000
    public static let notesPerChord = 32
    /// The chords and rests of a bar.
    public static let chordsPerBar = 2_000
    /// The dynamics, words, chord symbols and other marks of a bar, and those of a part.
    public static let marksPerBar = 500
    public static let marks = 20_000
    /// The syllables of a part.
    public static let lyrics = 50_000
  }

  public struct Options: Hashable, Sendable {
    /// Whether title, creators and part name are drawn.
    public var showsHeader = true
    /// Whether bars of rest are joined to multi-bar rests; nil for parts with one staff only.
    public var collapsesRests: Bool?

    public init() {}
  }

  private let metrics: Metrics
  private let width: Double
  private let options: Options

  /// - Parameter width: the width of the systems in staff spaces. A phone that is held upright shows about 35.
  public init(fonts: FontSet, width: Double, options: Options = Options()) {
    metrics = Metrics(fonts)
    (self.width, self.options) = (width, options)
  }

  /// The part, engraved.
  ///
  /// - Parameters:
  ///   - score: a valid score (``Score/validate()``).
  ///   - part: the index of the part in ``Score/parts``.
  /// - Throws: ``ScoreFault`` if the part does not exist, or exceeds a limit of ``Limits``.
  public func engrave(_ score: Score, part index: Int) throws(ScoreFault) -> EngravedPart {
    guard Limits.width.contains(width) else {
      throw ScoreFault(
        "a width of \(width) staff spaces", "is out of range",
        "use \(Int(Limits.width.lowerBound)) to \(Int(Limits.width.upperBound))")
    }
    guard score.parts.indices.contains(index) else {
      throw ScoreFault("part \(index + 1)", "it does not exist", "use 1 to \(score.parts.count)")
    }
    let notated = try NotationReader.read(
      score, part: index, collapsesRests: options.collapsesRests ?? (score.parts[index].staves == 1))
    let layout = PartLayout(score, notated, metrics, options, width: width)
    var systems: [System] = []
    systems.reserveCapacity(layout.systems.count)
    let lines = LinePositions(layout)
    var missing = notated.missing
    for system in layout.systems.indices {
      var builder = SystemBuilder(layout, system)
      builder.build(lines)
      for (name, count) in builder.missing { missing[name, default: 0] += count }
      systems.append(builder.system())
    }
    let header = options.showsHeader ? Header(score, score.parts[index], metrics, width: width) : nil
    return EngravedPart(
      width: width, header: header?.elements ?? [], headerHeight: header?.height ?? 0, systems: systems,
      missing: missing.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) })
  }
}
