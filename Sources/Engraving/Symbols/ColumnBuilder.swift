import Scores

/// Makes the columns of a part: what stands at each position, with boxes.
struct ColumnBuilder {
  let part: NotatedPart
  let metrics: Metrics
  var table = SymbolTable()

  static func build(_ part: NotatedPart, _ metrics: Metrics) -> SymbolTable {
    var builder = ColumnBuilder(part: part, metrics: metrics)
    builder.table.chords = [ChordGeometry](repeating: ChordGeometry(), count: part.chords.count)
    builder.table.noteX = [Double](repeating: 0, count: part.notes.count)
    builder.table.dotPlaces = [Int?](repeating: nil, count: part.notes.count)
    builder.table.heads = part.notes.map { metrics.head($0, halvings: part.chords[$0.chord].halvings) }
    for measure in part.measures.indices { builder.buildMeasure(measure) }
    return builder.table
  }

  private mutating func buildMeasure(_ index: Int) {
    let measure = part.measures[index]
    let first = table.columns.count
    var changes = measure.inner.indices[...]
    var symbols = symbolTicks(measure)[...]
    /// A chord symbol between notes has a column of its own.
    func addSymbols(before tick: Int) {
      while let next = symbols.first, next <= tick {
        symbols = symbols.dropFirst()
        if next == tick { continue }
        if let last = table.columns.last, last.measure == index, last.order == 0, last.tick == next { continue }
        let chords = table.columnChords.count
        table.columns.append(Column(measure: index, tick: next, order: 0, chords: chords..<chords))
      }
    }
    func addChanges(upTo tick: Int) {
      while let next = changes.first, measure.inner[next].tick <= tick {
        changes = changes.dropFirst()
        if let last = table.columns.last, last.measure == index, last.order == Column.changeOrder,
          last.tick == measure.inner[next].tick
        {
          table.columns[table.columns.count - 1].changes.append(next)
        } else {
          let chords = table.columnChords.count
          table.columns.append(
            Column(
              measure: index, tick: measure.inner[next].tick, order: Column.changeOrder, chords: chords..<chords,
              changes: [next]))
        }
      }
    }
    for chord in measure.chords {
      let (tick, order) = (part.chords[chord].tick, part.chords[chord].order)
      if part.chords[chord].isWholeBar {
        placeRest(chord)
        continue
      }
      addSymbols(before: tick)
      addChanges(upTo: tick)
      if let last = table.columns.last, last.measure == index, last.tick == tick, last.order == order {
        table.columnChords.append(chord)
        table.columns[table.columns.count - 1].chords = last.chords.lowerBound..<table.columnChords.count
      } else {
        table.columnChords.append(chord)
        let end = table.columnChords.count
        table.columns.append(Column(measure: index, tick: tick, order: order, chords: end - 1..<end))
      }
    }
    addSymbols(before: .max)
    addChanges(upTo: .max)
    table.measures.append(first..<table.columns.count)
    for column in first..<table.columns.count { buildColumn(column, measure) }
    addMarkLanes(measure, first..<table.columns.count)
  }

  private func symbolTicks(_ measure: NotatedMeasure) -> [Int] {
    if measure.marks.isEmpty { return [] }
    let ticks = part.marks[measure.marks].compactMap { mark in
      if case .symbol = mark.content { mark.tick } else { Int?.none }
    }
    return ticks.filter { $0 < measure.length }.sorted()
  }

  private mutating func buildColumn(_ index: Int, _ measure: NotatedMeasure) {
    let firstBox = table.boxes.count
    let firstAccidental = table.accidentals.count
    let firstLedger = table.ledgers.count
    let column = table.columns[index]
    for change in column.changes { addChange(measure.inner[change]) }
    let chords = Array(table.columnChords[column.chords])
    for chord in chords { table.chords[chord].column = index }
    if part.staves == 1 {
      buildStaff(chords, 0)
    } else if !chords.isEmpty {
      for staff in 0..<part.staves {
        let members = chords.filter { part.chords[$0].staff == staff }
        if !members.isEmpty { buildStaff(members, staff) }
      }
    }
    let firstLane = table.lanes.count
    for chord in chords {
      addLyricLanes(chord)
      if let dynamic = part.chords[chord].dynamic { table.lanes.append(lane(dynamic, part.chords[chord].staff)) }
    }
    table.columns[index].lanes = firstLane..<table.lanes.count
    table.columns[index].boxes = firstBox..<table.boxes.count
    table.accidentalRanges.append(firstAccidental..<table.accidentals.count)
    table.ledgerRanges.append(firstLedger..<table.ledgers.count)
    var (left, right) = (0.0, 0.0)
    for box in table.boxes[firstBox...] {
      left = min(left, box.box.left)
      right = max(right, box.box.right)
    }
    (table.columns[index].left, table.columns[index].right) = (left, right)
  }

  private mutating func buildStaff(_ chords: [Int], _ staff: Int) {
    let sounding = chords.filter { !part.chords[$0].isRest }
    if !sounding.isEmpty {
      placeHeads(sounding, staff)
      placeStems(sounding, staff)
      placeLedgers(sounding, staff)
    }
    for chord in chords where part.chords[chord].isRest {
      placeRest(chord)
      let geometry = table.chords[chord]
      // A rest under a beam will move away from it.
      let reach = part.chords[chord].isUnderBeam ? Self.restReach : 0
      table.boxes.append(
        StaffBox(
          staff: staff,
          box: Box(
            left: geometry.left, top: geometry.top - reach, right: geometry.right, bottom: geometry.bottom + reach)))
    }
    placeDots(chords, staff)
    if !sounding.isEmpty { placeAccidentals(sounding, staff) }
  }

  private mutating func addChange(_ change: InnerChange) {
    switch change.content {
    case .clef(let clef):
      guard let (glyph, place, scale) = metrics.changeClef(clef) else { return }
      let box = metrics.box(glyph, scale: scale)
      // The right edge is the origin, because the notes follow.
      let y = staffY(place)
      table.boxes.append(
        StaffBox(staff: change.staff, box: Box(left: -box.width, top: y + box.top, right: 0, bottom: y + box.bottom)))
    case .key(let old, let new):
      let width = KeySignature(old: old, new: new, clef: Clef(.g, line: 2), metrics).width
      table.boxes.append(StaffBox(staff: change.staff, box: Box(left: -width, top: -1, right: 0, bottom: 5)))
    }
  }

  // MARK: Lanes

  static let lyricLane = 0
  static let symbolLane = 2000
  static let dynamicLane = 2001

  private mutating func addLyricLanes(_ chord: Int) {
    let chordData = part.chords[chord]
    let geometry = table.chords[chord]
    let middle = chordData.isRest ? geometry.right / 2 : geometry.shift + headWidth(chord) / 2
    for lyric in part.lyrics[chordData.lyrics] where !lyric.text.isEmpty {
      let width = metrics.width(lyric.text, LyricLines.style)
      let left = LyricLines.left(lyric, width: width, middle: middle)
      let goesOn = lyric.position == .begin || lyric.position == .middle
      // The shortest line of a melisma.
      let extender = lyric.isExtended && !goesOn ? LyricLines.shortestExtender : 0
      table.lanes.append(
        LaneBox(
          lane: Self.lyricLane + chordData.staff * 128 + lyric.verse, left: left, right: left + width + extender,
          gap: goesOn ? 0.9 : 0.6))
    }
  }

  /// Chord symbols, dynamics and words of expression keep their distance if they stand at columns.
  private mutating func addMarkLanes(_ measure: NotatedMeasure, _ columns: Range<Int>) {
    if measure.marks.isEmpty { return }
    // The lanes of a column are a range, so those of all columns are written again with the marks between them.
    var additions: [(column: Int, box: LaneBox)] = []
    for mark in part.marks[measure.marks] {
      guard let column = columns.first(where: { table.columns[$0].tick >= mark.tick && table.columns[$0].order == 0 })
      else { continue }
      switch mark.content {
      case .symbol(let symbol):
        let width = metrics.width(symbol.printed, ChordSymbol.style)
        additions.append((column, LaneBox(lane: Self.symbolLane, left: 0, right: width, gap: 0.6)))
      case .dynamic(let dynamic): additions.append((column, lane(dynamic, mark.staff)))
      case .words(let text) where metrics.isExpression(text):
        let width = metrics.width(text, .words)
        additions.append((column, LaneBox(lane: Self.dynamicLane + mark.staff, left: 0, right: width, gap: 0.4)))
      default: break
      }
    }
    if additions.isEmpty { return }
    let first = table.lanes.count
    var old: [Int: [LaneBox]] = [:]
    for column in columns { old[column] = Array(table.lanes[table.columns[column].lanes]) }
    for addition in additions { old[addition.column]?.append(addition.box) }
    table.lanes.removeSubrange((columns.first.map { table.columns[$0].lanes.lowerBound } ?? first)...)
    for column in columns {
      let start = table.lanes.count
      table.lanes += old[column] ?? []
      table.columns[column].lanes = start..<table.lanes.count
    }
  }

  private func lane(_ dynamic: Dynamic, _ staff: Int) -> LaneBox {
    let width = metrics.width(dynamic)
    return LaneBox(lane: Self.dynamicLane + staff, left: 0.6 - width / 2, right: 0.6 + width / 2, gap: 0.3)
  }

  func headWidth(_ chord: Int) -> Double {
    let scale = part.chords[chord].scale
    guard let note = part.chords[chord].notes.first, let head = table.heads[note] else { return 1.2 * scale }
    return metrics.box(head).width * scale
  }
}
