/// A text table with aligned columns, for the reports on the terminal. Words are left-aligned, numbers are right-aligned.
///
/// Real-time: not safe.
public struct TextTable: CustomStringConvertible {
  /// The rows of cells. The first row contains the column titles.
  private var rows: [[String]]
  /// The number of columns at the left that contain words.
  private let wordColumns: Int

  /// Creates a table without rows.
  ///
  /// - Parameters:
  ///   - columns: the column titles.
  ///   - wordColumns: the number of columns at the left that contain words. The other columns contain numbers.
  ///
  /// Real-time: not safe.
  public init(columns: [String], wordColumns: Int = 1) {
    rows = [columns]
    self.wordColumns = wordColumns
  }

  /// Appends a row with one cell for each column.
  ///
  /// Real-time: not safe.
  public mutating func append(_ row: [String]) { rows.append(row) }

  /// The table as text. Each row is a line that ends with a newline. Two spaces separate the columns.
  public var description: String {
    // The width of a column is that of its longest cell.
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
      let trailingSpaces = line.reversed().prefix { $0 == " " }.count
      return line.dropLast(trailingSpaces) + "\n"
    }.joined()
  }
}
