/// A parser for the lines of a file of stamps, the input of `tutti measure clock`.
///
/// A stamp is the first field of a line, in whole nanoseconds or in seconds with a decimal point, for example `1234567890` or
/// `1.234567890`. The first stamp determines the unit of all stamps. Digits beyond the nanosecond are cut off. A field ends at a comma, a
/// semicolon, a tab or a space. The other fields, empty lines, and lines that begin with `#` are ignored. One line before the first
/// stamp may contain column titles.
struct StampLine {
  /// The error for a line that is not a stamp.
  struct InvalidStamp: Error {
    let reason: String
    var remedy = "give one stamp per line: whole nanoseconds, or seconds with a point"
  }

  /// Whether the stamps are seconds; nil before the first stamp.
  private var isSeconds: Bool?
  /// Whether a line with column titles was skipped.
  private var hasTitles = false

  /// Returns the stamp of a line in nanoseconds; nil for an empty line, a comment or the column titles.
  ///
  /// - Throws: ``InvalidStamp`` for a line that does not begin with a stamp, a stamp in seconds after stamps in nanoseconds, or a
  ///   stamp that is more than 73 years from the origin.
  mutating func stamp(in line: ArraySlice<UInt8>) throws(InvalidStamp) -> Int64? {
    // The characters that end a field: comma, semicolon, tab, space, carriage return. The last three can also precede the first field.
    let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x20, 0x0D]
    var rest = line.drop { separators[2...].contains($0) }
    if let mark = rest.firstIndex(where: { separators.contains($0) }) { rest = rest[..<mark] }
    guard let head = rest.first, head != UInt8(ascii: "#") else { return nil }
    let number = try Self.number(in: rest, isSeconds: isSeconds ?? rest.contains(UInt8(ascii: ".")))
    guard let (value, hasPoint) = number else {
      guard isSeconds == nil, !hasTitles else {
        // The message must not contain control characters of a binary file, because it is printed to the terminal.
        let text = rest.prefix(20).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        throw InvalidStamp(reason: "\"\(String(decoding: text, as: UTF8.self))\" is not a stamp")
      }
      hasTitles = true
      return nil
    }
    if isSeconds == false, hasPoint {
      throw InvalidStamp(reason: "is in seconds, but the stamps before it are in nanoseconds")
    }
    isSeconds = isSeconds ?? hasPoint
    return value
  }

  /// Returns the value of a decimal number in nanoseconds, and whether it has a decimal point; nil if `text` is not a number.
  ///
  /// - Parameter isSeconds: whether the number is in seconds. Otherwise it is in nanoseconds.
  /// - Throws: ``InvalidStamp`` if the value is more than 73 years from the origin.
  private static func number(
    in text: ArraySlice<UInt8>, isSeconds: Bool
  ) throws(InvalidStamp) -> (Int64, Bool)? {
    let isNegative = text.first == UInt8(ascii: "-")
    let tooLarge = InvalidStamp(
      reason: "the stamp is more than 73 years from the origin", remedy: "give the instants relative to a nearer origin"
    )
    // `decimals` is the number of digits after the point; -1 before the point. `value` is the negated number, because the smallest Int64
    // has no positive counterpart.
    var (value, decimals, digits): (Int64, Int, Int) = (0, -1, 0)
    for octet in isNegative ? text.dropFirst() : text {
      if octet == UInt8(ascii: "."), decimals < 0 {
        decimals = 0
        continue
      }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) else { return nil }
      digits += 1
      if decimals >= 9 { continue }
      if decimals >= 0 { decimals += 1 }
      let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
      let (next, under) = tenfold.subtractingReportingOverflow(Int64(octet - UInt8(ascii: "0")))
      guard !over, !under else { throw tooLarge }
      value = next
    }
    guard digits > 0 else { return nil }
    // A number in seconds is extended to nine decimals, so that the value is in nanoseconds.
    for _ in max(decimals, 0)..<(isSeconds ? 9 : max(decimals, 0)) {
      let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
      guard !over else { throw tooLarge }
      value = tenfold
    }
    guard value >= -TraceTick.limit else { throw tooLarge }
    return (isNegative ? value : -value, decimals >= 0)
  }
}
