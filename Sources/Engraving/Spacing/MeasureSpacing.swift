import Scores

/// The distances between the columns of all measures.
///
/// Each measure has one distance more than columns: from its left edge to the first column, between columns, and to its bar line.
struct MeasureSpacing {
  var springs = Springs()
  /// The distances of each measure.
  var ranges: [Range<Int>] = []
  /// The sum of the rods of each measure, of the lengths at scale 1, and of the ideal lengths.
  var minimum: [Double] = []
  var natural: [Double] = []
  var elastic: [Double] = []

  init(_ part: NotatedPart, _ table: SymbolTable) {
    let scale = DurationScale(shortest: Self.usualShortest(part, table))
    for measure in part.measures.indices { add(measure, part, table, scale) }
  }

  /// The shortest duration that is usual: the most frequent one of the shortest durations of the bars, at most a dotted eighth.
  private static func usualShortest(_ part: NotatedPart, _ table: SymbolTable) -> Double {
    var counts: [Int: Int] = [:]
    for measure in part.measures where !measure.isMultiRest {
      var shortest = Int.max
      for chord in measure.chords {
        let length = part.chords[chord].length
        if length > 0, !part.chords[chord].isWholeBar { shortest = min(shortest, length) }
      }
      if shortest < .max { counts[shortest, default: 0] += 1 }
    }
    let usual = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    let longest = part.timebase.ticksPerQuarter * 3 / 4
    return Double(max(min(usual ?? longest, max(longest, 1)), 1))
  }

  private mutating func add(_ index: Int, _ part: NotatedPart, _ table: SymbolTable, _ scale: DurationScale) {
    let measure = part.measures[index]
    let columns = table.measures[index]
    let first = springs.rods.count
    if columns.isEmpty {
      // A rest for the whole bar, or several bars of rest.
      let width = measure.isMultiRest ? 8 + DurationScale.log2(Double(measure.bars.count)) : 5.0
      springs.append(ideal: max(width, scale.width(Double(measure.length)) * 0.8), rod: measure.isMultiRest ? 7 : 4.2)
    } else {
      addColumns(columns, measure, part, table, scale)
      holdBoxes(columns, first, table)
      holdLanes(columns, first, table)
      if measure.chords.contains(where: { part.chords[$0].isWholeBar }) {
        springs.hold(first..<springs.rods.count, apart: 4.2)
      }
    }
    let range = first..<springs.rods.count
    ranges.append(range)
    var sums = (minimum: 0.0, natural: 0.0, elastic: 0.0)
    for gap in range {
      sums.minimum += springs.rods[gap]
      sums.natural += max(springs.rods[gap], springs.ideals[gap])
      sums.elastic += springs.ideals[gap]
    }
    minimum.append(sums.minimum)
    natural.append(sums.natural)
    elastic.append(sums.elastic)
  }

  private mutating func addColumns(
    _ columns: Range<Int>, _ measure: NotatedMeasure, _ part: NotatedPart, _ table: SymbolTable, _ scale: DurationScale
  ) {
    let start = table.columns[columns.lowerBound]
    // An accidental may stand nearer to the bar line than a head.
    let isLate = start.order == 0 && start.tick > 0
    springs.append(
      ideal: isLate ? scale.width(Double(start.tick)) : 0, rod: max(1.1, -start.left + 0.6))
    // The longest note that sounds beyond each column is found from the ends of the notes.
    var ends: [(end: Int, length: Int)] = []
    for index in columns {
      let column = table.columns[index]
      let isLast = index + 1 == columns.upperBound
      let next = isLast ? nil : table.columns[index + 1]
      var rod = next.map { distance(column, $0, table) } ?? column.right + 0.6
      // A clef or a key belongs to what follows it, and a grace note does not touch its main note.
      if let next, next.order == Column.changeOrder { rod = max(rod, column.right - next.left + 0.5) }
      if column.order == Column.changeOrder { rod += 0.2 }
      if column.order != 0, next?.order == 0 { rod += 0.2 }
      if column.order != 0 {
        // Small notes and changes stand near what follows them.
        springs.append(ideal: 0, rod: column.order == Column.changeOrder ? rod : max(rod, 1.1))
        continue
      }
      ends.removeAll { $0.end <= column.tick }
      for chord in table.columnChords[column.chords] {
        let data = part.chords[chord]
        ends.append((data.tick + data.length, data.length))
      }
      var following = index + 1
      var small = 0.0
      while following < columns.upperBound, table.columns[following].order != 0 {
        if following + 1 < columns.upperBound {
          small += max(distance(table.columns[following], table.columns[following + 1], table), 1.1)
        }
        following += 1
      }
      let end = following < columns.upperBound ? table.columns[following].tick : measure.length
      let elapsed = Double(max(end - column.tick, 0))
      let shortest = Double(ends.map(\.length).filter { $0 > 0 }.min() ?? 0)
      let ideal = scale.width(elapsed: elapsed, sounding: shortest) - (following < columns.upperBound ? 0 : 0.4)
      springs.append(ideal: max(ideal - small, 0.6), rod: rod)
    }
  }

  /// The smallest distance of two columns at which no boxes touch.
  private func distance(_ a: Column, _ b: Column, _ table: SymbolTable) -> Double {
    let isPair = a.boxes.count * b.boxes.count <= 4096
    guard isPair else { return a.right - b.left + Self.padding }
    var distance = 0.0
    for left in table.boxes[a.boxes] {
      if left.box.right - b.left + Self.padding <= distance { continue }
      for right in table.boxes[b.boxes] where left.staff == right.staff {
        let needed = left.box.right - right.box.left + Self.padding
        if needed > distance, left.box.bottom + 0.1 > right.box.top, right.box.bottom + 0.1 > left.box.top {
          distance = needed
        }
      }
    }
    return max(distance, 0.2)
  }

  private static let padding = 0.25

  /// Columns that are not neighbours may touch too if what stands between them is on another staff or higher up.
  private mutating func holdBoxes(_ columns: Range<Int>, _ first: Int, _ table: SymbolTable) {
    for index in columns.dropFirst(2) {
      let column = table.columns[index]
      var sum = springs.rods[first + index - columns.lowerBound]
      for back in 2...6 where index - back >= columns.lowerBound {
        let before = table.columns[index - back]
        let gap = first + index - back - columns.lowerBound + 1
        sum += springs.rods[gap]
        if before.right - column.left + Self.padding <= sum { continue }
        let needed = distance(before, column, table)
        if needed > sum {
          springs.hold(gap..<gap + back, apart: needed)
          sum = needed
        }
      }
    }
  }

  private mutating func holdLanes(_ columns: Range<Int>, _ first: Int, _ table: SymbolTable) {
    var last: [Int: (column: Int, box: LaneBox)] = [:]
    for index in columns where !table.columns[index].lanes.isEmpty {
      let gap = first + index - columns.lowerBound
      for box in table.lanes[table.columns[index].lanes] {
        if let before = last[box.lane] {
          let start = first + before.column - columns.lowerBound + 1
          if start <= gap {
            springs.hold(start..<gap + 1, apart: before.box.right - box.left + before.box.gap)
          }
        } else {
          // The first box of a lane must not reach into the measure before.
          springs.hold(first..<gap + 1, apart: -box.left + 0.25)
        }
        last[box.lane] = (index, box)
      }
    }
    for before in last.values.sorted(by: { ($0.column, $0.box.lane) < ($1.column, $1.box.lane) }) {
      let start = first + before.column - columns.lowerBound + 1
      springs.hold(start..<springs.rods.count, apart: before.box.right + 0.25)
    }
  }
}
