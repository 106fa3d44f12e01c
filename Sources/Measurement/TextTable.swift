import MusicalTime

/// A text table with aligned columns, separated by two spaces. Words are left-aligned, numbers are right-aligned.
public struct TextTable: CustomStringConvertible {
  private var rows: [[String]]
  private let wordColumns: Int

  /// Creates a table whose first row contains the column titles. The first `wordColumns` columns contain words, the
  /// others numbers.
  ///
  /// Real-time: not safe.
  public init(columns: [String], wordColumns: Int = 1) {
    rows = [columns]
    self.wordColumns = wordColumns
  }

  /// Appends a row.
  ///
  /// Real-time: not safe.
  public mutating func append(_ row: [String]) { rows.append(row) }

  /// The table, one line per row, each ended by a newline.
  public var description: String {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column < wordColumns ? cell + space : space + cell
      }
      let line = cells.joined(separator: "  ")
      return line.prefix(line.count - line.reversed().prefix { $0 == " " }.count) + "\n"
    }.joined()
  }
}

extension Nanoseconds {
  /// The duration in microseconds with one decimal place, rounded half away from zero, for example "-20.8".
  var microsecondsText: String {
    let tenths = count.magnitude / 100 + (count.magnitude % 100 >= 50 ? 1 : 0)
    return "\(count < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}
