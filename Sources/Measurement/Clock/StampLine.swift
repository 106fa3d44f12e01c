/// A parser for the lines of a text file of stamps, the input of `tutti measure clock`.
///
/// A line contains one stamp, or fields of which one is the stamp. Fields end at a comma, a semicolon, a tab or spaces. Empty lines, and
/// lines that begin with `#`, are ignored. One line before the first stamp may contain column titles.
///
/// The column of the stamps is that of ``StampFormat/column``. Otherwise it is the only column whose title names a time, for example
/// `time_ms` in `tick,time_ms`. Without titles it is the first column. If several titles name a time, or if none of several titles does, the
/// file is refused, because a wrong column gives wrong figures.
///
/// The unit of the stamps is ``StampFormat/unit``. Otherwise it is the unit in the title of the column. Otherwise the first stamp determines
/// the unit of all stamps: whole nanoseconds, or seconds with a decimal point or an exponent, for example `1.234567890` or `1.0e+03`.
/// Digits beyond the nanosecond are cut off.
struct StampLine {
  /// The error for a line that is not a stamp.
  struct InvalidStamp: Error {
    let reason: String
    var remedy = "give one stamp per line: whole nanoseconds, or seconds with a point"
  }

  /// What the user states about the file.
  private let format: StampFormat
  /// The unit of the stamps; nil before it is known.
  private var unit: StampFormat.Unit?
  /// The index of the column, from 0; nil before the first line.
  private var column: Int?
  /// The character that separates the fields; nil: any of them. It is determined by the first line, unless the first column is read.
  private var separator: UInt8?
  /// Whether a line with column titles was skipped.
  private var hasTitles = false
  /// Whether the unit is stated by the user or by the title of the column.
  private var isUnitStated: Bool
  /// Whether a stamp was read.
  private var hasStamps = false

  init(_ format: StampFormat = StampFormat()) {
    (self.format, unit, isUnitStated) = (format, format.unit, format.unit != nil)
  }

  /// Returns the stamp of a line in nanoseconds; nil for an empty line, a comment or the column titles.
  ///
  /// - Throws: ``InvalidStamp`` for a line without a stamp, titles that do not name one time, a stamp in seconds after stamps in
  ///   nanoseconds, or a stamp that is more than 73 years from the origin.
  mutating func stamp(in line: ArraySlice<UInt8>) throws(InvalidStamp) -> Int64? {
    guard let head = line.first(where: { !Self.isSpace($0) }), head != UInt8(ascii: "#") else { return nil }
    guard let column else {
      column = try findColumn(in: line)
      return hasTitles ? nil : try stamp(in: line)
    }
    guard let text = field(column, of: line) else {
      throw InvalidStamp(
        reason: "has no column \(column + 1)", remedy: "give the column of the stamps with --column NAME or NUMBER")
    }
    guard let number = DecimalNumber(text) else {
      guard !hasStamps, !hasTitles else {
        // The message must not contain control characters of a binary file, because it is printed to the terminal.
        let text = text.prefix(20).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        throw InvalidStamp(reason: "\"\(String(decoding: text, as: UTF8.self))\" is not a stamp")
      }
      hasTitles = true
      return nil
    }
    if unit == nil {
      unit = number.isWhole ? .ns : .s
    } else if unit == .ns, !isUnitStated, !number.isWhole {
      throw InvalidStamp(reason: "is in seconds, but the stamps before it are in nanoseconds")
    }
    hasStamps = true
    guard let value = number.nanoseconds(exponent: (unit ?? .ns).exponent) else {
      throw InvalidStamp(
        reason: "the stamp is more than 73 years from the origin",
        remedy: "give the instants relative to a nearer origin")
    }
    return value
  }

  /// Returns the index of the column of the stamps, from the first line that is neither empty nor a comment.
  private mutating func findColumn(in line: ArraySlice<UInt8>) throws(InvalidStamp) -> Int {
    separator = Self.separators.first { line.contains($0) }
    var fields: [ArraySlice<UInt8>] = []
    while let next = field(fields.count, of: line) { fields.append(next) }
    let titles = fields.map { ColumnTitle($0) }
    let areTitles = !fields.contains { DecimalNumber($0) != nil }
    let index = try chosenColumn(titles, areTitles: areTitles)
    column = index
    // The fields of the first column may end at any separator.
    if index == 0 { separator = nil }
    if areTitles {
      hasTitles = true
      if unit == nil, index < titles.count { unit = titles[index].unit }
      isUnitStated = unit != nil
    }
    return index
  }

  /// Returns the index of the column of the stamps among columns with these titles.
  private func chosenColumn(_ titles: [ColumnTitle], areTitles: Bool) throws(InvalidStamp) -> Int {
    let list = titles.map(\.text).joined(separator: ", ")
    if let name = format.column {
      if let number = Int(name), number >= 1 { return number - 1 }
      guard areTitles, let index = titles.firstIndex(where: { $0.text.lowercased() == name.lowercased() }) else {
        throw InvalidStamp(
          reason: areTitles ? "no column \"\(name)\"; the columns are \(list)" : "the file has no column titles",
          remedy: "give --column the number of the column, from 1" + (areTitles ? ", or one of these titles" : ""))
      }
      return index
    }
    guard areTitles, titles.count > 1 else { return 0 }
    let times = titles.indices.filter { titles[$0].namesTime }
    guard times.count == 1 else {
      throw InvalidStamp(
        reason: (times.isEmpty ? "no column title names a time: " : "several column titles name a time: ") + list,
        remedy: "give the column of the stamps with --column, and its unit with --unit")
    }
    return times[0]
  }

  /// The characters that separate fields, in the order of their precedence: semicolon, comma, tab.
  private static let separators: [UInt8] = [0x3B, 0x2C, 0x09]

  private static func isSpace(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 || octet == 0x0D }

  /// Returns the field at an index from 0, without the spaces and quotation marks around it; nil if the line has no such field.
  private func field(_ index: Int, of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = line
    if let separator {
      for _ in 0..<index {
        guard let end = rest.firstIndex(of: separator) else { return nil }
        rest = rest[(end + 1)...]
      }
      rest = rest.prefix { $0 != separator }
    } else {
      func skip() { rest = rest.drop(while: Self.isSpace) }
      func isEnd(_ octet: UInt8) -> Bool { Self.isSpace(octet) || Self.separators.contains(octet) }
      skip()
      for _ in 0..<index {
        rest = rest.drop { !isEnd($0) }
        skip()
      }
      rest = rest.prefix { !isEnd($0) }
      if rest.isEmpty, index > 0 { return nil }
    }
    func isMargin(_ octet: UInt8) -> Bool { Self.isSpace(octet) || octet == UInt8(ascii: "\"") }
    rest = rest.drop(while: isMargin)
    while let last = rest.last, isMargin(last) { rest.removeLast() }
    return rest
  }
}

/// A decimal number, for example `-12`, `0.5` or `1.0e+03`.
struct DecimalNumber {
  /// The digits as a whole number with its sign. Digits beyond the 30th are cut off.
  private var digits: Int128 = 0
  /// The power of ten by which ``digits`` is multiplied.
  private var exponent = 0
  /// Whether the number has neither a decimal point nor an exponent.
  private(set) var isWhole = true

  /// Reads a number; nil if `text` is not one.
  init?(_ text: ArraySlice<UInt8>) {
    var rest = text
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    var (count, isFraction) = (0, false)
    while let octet = rest.first, octet == UInt8(ascii: ".") || Self.digit(octet) != nil {
      rest.removeFirst()
      guard let digit = Self.digit(octet) else {
        guard !isFraction else { return nil }
        (isFraction, isWhole) = (true, false)
        continue
      }
      count += 1
      if digits < Self.limit {
        digits = digits * 10 + Int128(digit)
        if isFraction { exponent -= 1 }
      } else if !isFraction {
        exponent += 1
      }
    }
    guard count > 0 else { return nil }
    if let octet = rest.first {
      guard octet == UInt8(ascii: "e") || octet == UInt8(ascii: "E") else { return nil }
      rest.removeFirst()
      let isSmall = rest.first == UInt8(ascii: "-")
      if isSmall || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard !rest.isEmpty, rest.count <= 4 else { return nil }
      var power = 0
      for octet in rest {
        guard let digit = Self.digit(octet) else { return nil }
        power = power * 10 + digit
      }
      exponent += isSmall ? -power : power
      isWhole = false
    }
    if isNegative { digits = -digits }
  }

  /// 10 to the power of 29. Larger numbers of digits are not extended.
  private static let limit = Int128(100_000_000_000_000) * 1_000_000_000_000_000

  private static func digit(_ octet: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) ? Int(octet - UInt8(ascii: "0")) : nil
  }

  /// Returns the number times 10 to the power of `exponent`, without the digits after the point; nil if it does not fit into 64 bits.
  func nanoseconds(exponent power: Int) -> Int64? {
    var (value, exponent) = (digits, exponent + power)
    while exponent < 0, value != 0 {
      value /= 10
      exponent += 1
    }
    while exponent > 0, value != 0 {
      guard value.magnitude < UInt128(Self.limit) else { return nil }
      value *= 10
      exponent -= 1
    }
    return Int64(exactly: value)
  }
}
