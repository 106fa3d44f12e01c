import MusicalTime

/// Rows of text in aligned columns, two spaces between: words to the left, numbers to the right.
public struct TextTable: CustomStringConvertible {
  private var rows: [[String]]
  private let words: Int

  /// A table whose first row names its columns, the first `words` of which hold words, the others numbers.
  ///
  /// Real-time: not safe.
  public init(columns: [String], words: Int = 1) {
    rows = [columns]
    self.words = words
  }

  /// Real-time: not safe.
  public mutating func append(_ row: [String]) { rows.append(row) }

  /// The table, a line a row, each ended.
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
        return column < words ? cell + space : space + cell
      }
      let line = cells.joined(separator: "  ")
      return line.prefix(line.count - line.reversed().prefix { $0 == " " }.count) + "\n"
    }.joined()
  }
}

extension Nanoseconds {
  /// Microseconds with one decimal place, rounded half away from zero: "-20.8".
  var tenthsOfMicroseconds: String {
    let tenths = count.magnitude / 100 + (count.magnitude % 100 >= 50 ? 1 : 0)
    return "\(count < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}
