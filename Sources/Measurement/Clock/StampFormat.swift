/// The column and the unit of the stamps in a text file, as far as the user states them.
///
/// Real-time: not safe.
public struct StampFormat: Hashable, Sendable {
  /// A unit of time. The raw value is its symbol.
  public enum Unit: String, Hashable, Sendable, CaseIterable {
    case s, ms, us, ns

    /// The decimal exponent of the unit in nanoseconds.
    var exponent: Int {
      switch self {
      case .s: 9
      case .ms: 6
      case .us: 3
      case .ns: 0
      }
    }
  }

  /// The title of the column, or its number from 1; nil: the column whose title names a time, see ``StampLine``.
  public var column: String?
  /// The unit of the stamps; nil: the unit in the title of the column, or the form of the first stamp, see ``StampLine``.
  public var unit: Unit?

  /// Creates a format.
  ///
  /// Real-time: not safe.
  public init(column: String? = nil, unit: Unit? = nil) { (self.column, self.unit) = (column, unit) }
}

/// The title of a column of a table: words and a unit, for example `time_ms`, `Time (ms)` or `t [s]`.
struct ColumnTitle {
  /// The title as it is in the file, without quotation marks and spaces around it.
  let text: String
  /// The words in lower case.
  private let words: [String]

  /// Words that name an instant.
  private static let names: Set<String> = [
    "time", "times", "timestamp", "timestamps", "stamp", "stamps", "instant", "instants", "onset", "onsets", "t",
  ]
  /// Words for units, by their symbol.
  private static let units: [String: StampFormat.Unit] = [
    "s": .s, "sec": .s, "secs": .s, "second": .s, "seconds": .s, "ms": .ms, "msec": .ms, "millisecond": .ms,
    "milliseconds": .ms, "us": .us, "µs": .us, "μs": .us, "usec": .us, "microsecond": .us, "microseconds": .us,
    "ns": .ns,
    "nsec": .ns, "nanosecond": .ns, "nanoseconds": .ns,
  ]

  init(_ octets: ArraySlice<UInt8>) {
    // The message must not contain control characters of a binary file, because titles are printed to the terminal.
    let text = String(decoding: octets, as: UTF8.self).filter {
      $0 != "\"" && !($0.isASCII && ($0.asciiValue ?? 0) < 0x20)
    }
    self.text = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// The unit that the title ends with; nil without a unit.
  var unit: StampFormat.Unit? { words.last.flatMap { Self.units[$0] } }

  /// Whether the title names an instant: it contains such a word, or it is only a unit.
  var namesTime: Bool { words.contains { Self.names.contains($0) } || (words.count == 1 && unit != nil) }
}
