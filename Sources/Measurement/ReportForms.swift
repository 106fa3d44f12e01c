import Foundation

// The parts that the reports have in common in their three forms: JSON, CSV and text.

extension Encoder {
  /// Encodes a JSON object with these members. A member without a value is omitted.
  ///
  /// Real-time: not safe.
  package func encode(_ members: KeyValuePairs<String, (any Encodable)?>) throws {
    var container = container(keyedBy: MemberName.self)
    for case (let name, let value?) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
  }
}

/// A JSON object with these members. A member without a value is omitted.
///
/// Real-time: not safe.
public struct JSONObject: Encodable, Hashable, ExpressibleByDictionaryLiteral {
  private var members: [String: any Encodable & Hashable] = [:]

  public init(dictionaryLiteral members: (String, (any Encodable & Hashable)?)...) {
    for case (let name, let value?) in members { self.members[name] = value }
  }

  /// Adds the members of `other`.
  public mutating func merge(_ other: JSONObject) { members.merge(other.members) { $1 } }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    for (name, value) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.members.mapValues { AnyHashable($0) } == b.members.mapValues { AnyHashable($0) }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(members.mapValues { AnyHashable($0) }) }
}

/// The name of a member of a JSON object.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral: String) { stringValue = stringLiteral }
  init?(intValue: Int) { nil }
}

extension String {
  /// The text as a field of a CSV file (RFC 4180). A line end in a quoted text becomes a space.
  var quotedForCSV: String {
    guard contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return self }
    return "\"" + map { $0 == "\"" ? "\"\"" : $0.isNewline ? " " : "\($0)" }.joined() + "\""
  }
}

extension Double {
  /// The text of a value in nanoseconds: in microseconds with three decimal places.
  var microseconds: String { fixed(3, scale: 1e-3) }

  /// Returns the text of the number times `scale`, with `places` decimal places.
  func fixed(_ places: Int, scale: Double = 1) -> String {
    let text = String(format: "%.\(places)f", self * scale)
    // A small negative number is rounded to "-0.0". The sign is removed.
    let isZero = isFinite && !text.contains { ("1"..."9").contains($0) }
    return isZero ? text.replacingOccurrences(of: "-", with: "") : text
  }

  /// The text of the number with two significant digits.
  var short: String { String(format: "%.2g", self) }

  /// The text of the number in scientific notation with four significant digits.
  var scientific: String { String(format: "%.3e", self) }
}

extension Double? {
  // The text of nil is a dash.
  var microseconds: String { self?.microseconds ?? "-" }
  func fixed(_ places: Int, scale: Double = 1) -> String { self?.fixed(places, scale: scale) ?? "-" }
  var short: String { self?.short ?? "-" }
  var scientific: String { self?.scientific ?? "-" }
}

/// A text table with aligned columns, for the reports on the terminal. Words are left-aligned, numbers are right-aligned.
///
/// Real-time: not safe.
public struct TextTable: CustomStringConvertible {
  /// The rows of cells. The first row contains the column titles.
  private var rows: [[String]]
  /// The number of columns at the left that contain words.
  private let wordColumns: Int

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - columns: the column titles.
  ///   - wordColumns: the number of columns at the left that contain words. The other columns contain numbers.
  ///   - rows: the rows, with one cell for each column.
  ///
  /// Real-time: not safe.
  public init(columns: [String], wordColumns: Int = 1, rows: [[String]] = []) {
    self.rows = [columns] + rows
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
