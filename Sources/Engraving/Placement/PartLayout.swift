import Scores

/// Everything that is known about a part before its systems are drawn: what it contains, its columns, where its systems break, and the x
/// of each column.
struct PartLayout {
  let score: Score
  let part: NotatedPart
  let table: SymbolTable
  let metrics: Metrics
  let options: Engraver.Options
  let width: Double
  /// The x of each column in its system, before the system is scaled.
  var columnX: [Double]
  /// For each measure: its system, and where its content begins and ends.
  var systems: [Range<Int>] = []
  var systemOf: [Int] = []
  var measureLeft: [Double] = []
  var contentLeft: [Double] = []
  var contentRight: [Double] = []
  var measureRight: [Double] = []
  /// The scale of each system, 1 but for bars that do not fit.
  var scales: [Double] = []
  /// Where notes may begin in each system.
  var musicLeft: [Double] = []
  /// Whether each staff has syllables.
  private(set) var hasLyrics: [Bool]
  /// The right edge of each system.
  var rights: [Double] = []

  /// The room for a brace at the left edge.
  var margin: Double { part.staves > 1 ? 1.2 : 0 }

  init(
    _ score: Score, _ part: NotatedPart, _ metrics: Metrics, _ options: Engraver.Options, width: Double
  ) {
    (self.score, self.part, self.metrics, self.options, self.width) = (score, part, metrics, options, width)
    hasLyrics = [Bool](repeating: false, count: part.staves)
    for chord in part.chords where !chord.lyrics.isEmpty { hasLyrics[chord.staff] = true }
    table = ColumnBuilder.build(part, metrics)
    let spacing = MeasureSpacing(part, table)
    columnX = [Double](repeating: 0, count: table.columns.count)
    let count = part.measures.count
    systemOf = [Int](repeating: 0, count: count)
    measureLeft = [Double](repeating: 0, count: count)
    contentLeft = measureLeft
    contentRight = measureLeft
    measureRight = measureLeft
    let ends = part.measures.indices.map { widths($0) }
    systems = SystemBreaks(width: width - margin, spacing: spacing, ends: ends).systems()
    var previous = 1.0
    for index in systems.indices { place(index, spacing, ends, &previous) }
  }

  // MARK: Ends of measures

  func bar(_ measure: Int) -> Bar { score.bars[part.measures[measure].bars.lowerBound] }
  func lastBar(_ measure: Int) -> Bar { score.bars[part.measures[measure].bars.upperBound - 1] }

  /// Whether the repeat that begins with a measure is joined to the bar line before it.
  func joinsRepeat(_ measure: Int) -> Bool {
    bar(measure).beginsRepeat && !part.measures[measure].showsKey && !part.measures[measure].showsMetre
  }

  var hasFine: Bool { score.bars.contains(where: \.isFine) }
  var hasCoda: Bool { score.bars.contains { $0.toCoda != nil } }

  func barLine(_ measure: Int, isSystemEnd: Bool) -> BarLineSymbol {
    let bar = lastBar(measure)
    let isLast = measure + 1 == part.measures.count
    let line = isLast && bar.line == .regular ? .final : bar.line
    let next = !isSystemEnd && !isLast && joinsRepeat(measure + 1)
    return BarLineSymbol(line, repeatEnd: bar.repeatEnd != nil, repeatStart: next)
  }

  func preamble(_ measure: Int, isSystemStart: Bool) -> Preamble {
    Preamble(
      part.measures[measure], isSystemStart: isSystemStart, beginsRepeat: bar(measure).beginsRepeat, metrics)
  }

  func courtesy(_ measure: Int) -> Preamble? {
    let next = measure + 1
    guard next < part.measures.count, part.measures[next].showsKey || part.measures[next].showsMetre else { return nil }
    return Preamble(courtesyFor: part.measures[next], metrics)
  }

  /// The room for the change of clef before the bar line of a measure.
  func clefRoom(_ measure: Int) -> Double {
    let next = measure + 1
    guard next < part.measures.count, part.measures[next].showsClef else { return 0 }
    var widest = 0.0
    for (staff, clef) in part.measures[next].clefs.enumerated() where clef != part.measures[next].oldClefs[staff] {
      if let (glyph, _, scale) = metrics.changeClef(clef) {
        widest = max(widest, metrics.box(glyph).width * scale)
      }
    }
    return widest > 0 ? widest + 0.5 : 0
  }

  private func widths(_ measure: Int) -> SystemBreaks.Ends {
    let clef = clefRoom(measure)
    return SystemBreaks.Ends(
      start: preamble(measure, isSystemStart: true).width, inner: preamble(measure, isSystemStart: false).width,
      end: clef + barLine(measure, isSystemEnd: false).width,
      lastEnd: clef + barLine(measure, isSystemEnd: true).width + (courtesy(measure)?.width ?? 0))
  }

  // MARK: x

  /// Gives the columns of a system their x. A last system that is not full keeps the scale of the one before, at most its ideal distances.
  private mutating func place(
    _ index: Int, _ spacing: MeasureSpacing, _ ends: [SystemBreaks.Ends], _ previous: inout Double
  ) {
    let range = systems[index]
    guard let first = range.first, let last = range.last else { return }
    var fixed = ends[first].start + ends[last].lastEnd
    var minimum = 0.0
    var natural = 0.0
    for measure in range {
      if measure < last { fixed += ends[measure].end + ends[measure + 1].inner }
      minimum += spacing.minimum[measure]
      natural += spacing.natural[measure]
    }
    var room = width - margin - fixed
    var scale = 1.0
    if minimum > room {
      // A bar that does not fit is drawn smaller.
      scale = width / (margin + fixed + minimum)
      room = minimum
    }
    let gaps = spacing.ranges[first].lowerBound..<spacing.ranges[last].upperBound
    var stretch = Springs.scale(spacing.springs.ideals, spacing.springs.rods, gaps, target: room)
    let isLast = index + 1 == systems.count
    if isLast, scale == 1, natural < room * 0.8 { stretch = min(stretch, max(min(previous, 1.25), 1)) }
    previous = stretch
    scales.append(scale)
    var x = margin
    musicLeft.append(x + ends[first].start)
    for measure in range {
      systemOf[measure] = index
      measureLeft[measure] = x
      x += measure == first ? ends[first].start : ends[measure].inner
      contentLeft[measure] = x
      for (offset, gap) in spacing.ranges[measure].enumerated() {
        x += max(spacing.springs.rods[gap], stretch * spacing.springs.ideals[gap])
        let column = table.measures[measure].lowerBound + offset
        if column < table.measures[measure].upperBound { columnX[column] = x }
      }
      contentRight[measure] = x
      x += measure == last ? ends[measure].lastEnd - (courtesy(measure)?.width ?? 0) : ends[measure].end
      measureRight[measure] = x
    }
    rights.append(x + (courtesy(last)?.width ?? 0))
  }

  // MARK: Positions

  /// The x of a position in a measure: that of its column, or between two columns.
  func x(_ measure: Int, _ tick: Int) -> Double {
    let columns = table.measures[measure]
    var before: (tick: Int, x: Double) = (0, contentLeft[measure] + 1)
    for column in columns where table.columns[column].order == 0 {
      let (other, x) = (table.columns[column].tick, columnX[column])
      if other == tick { return x }
      if other > tick { return before.x + (x - before.x) * share(tick, before.tick, other) }
      before = (other, x)
    }
    let end = max(part.measures[measure].length, before.tick + 1)
    return before.x + (contentRight[measure] - before.x) * min(share(tick, before.tick, end), 1)
  }

  private func share(_ tick: Int, _ start: Int, _ end: Int) -> Double {
    end > start ? Double(tick - start) / Double(end - start) : 0
  }

  func chordX(_ chord: Int) -> Double {
    let column = table.chords[chord].column
    return column < 0 ? 0 : columnX[column]
  }

  func stemX(_ chord: Int) -> Double { chordX(chord) + table.chords[chord].stemX }
  func noteX(_ note: Int) -> Double { chordX(part.notes[note].chord) + table.noteX[note] }

  func headWidth(_ note: Int) -> Double {
    let scale = part.chords[part.notes[note].chord].scale
    return (table.heads[note].map { metrics.box($0).width } ?? 1.2) * scale
  }
}
