/// Parses the lines of a file of stamps.
///
/// A stamp is the first field of a line, in whole nanoseconds or in seconds with a point, for example `1234567890` or
/// `1.234567890`. Digits beyond the nanosecond are cut. The first stamp decides the unit of all. Other fields, after a
/// comma, a semicolon, a tab or a space, are ignored, and so are empty lines and lines that begin with `#`. One
/// line before the first stamp may contain titles.
struct StampLine {
  /// The error for a line that is not a stamp.
  struct InvalidStamp: Error {
    let reason: String
    var remedy = "give one stamp per line: whole nanoseconds, or seconds with a point"
  }

  /// Whether the stamps are seconds; nil before the first stamp.
  private var isSeconds: Bool?
  /// Whether a line with titles was skipped.
  private var hasTitles = false

  /// Returns the stamp of a line in nanoseconds; nil for a line without one.
  ///
  /// - Throws: ``InvalidStamp`` for a line that is not a stamp, or a stamp that does not fit into 64 bits.
  mutating func stamp(in line: ArraySlice<UInt8>) throws(InvalidStamp) -> Int64? {
    let separators: [UInt8] = [0x2C, 0x3B, 0x09, 0x20, 0x0D]
    var rest = line.drop { separators[2...].contains($0) }
    if let mark = rest.firstIndex(where: { separators.contains($0) }) { rest = rest[..<mark] }
    guard let head = rest.first, head != UInt8(ascii: "#") else { return nil }
    let number = try Self.number(in: rest, isSeconds: isSeconds ?? rest.contains(UInt8(ascii: ".")))
    guard let (value, hasPoint) = number else {
      guard isSeconds == nil, !hasTitles else {
        // Octets of a file that is not a text must not reach the terminal.
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

  /// Returns the value of a decimal number in nanoseconds, and whether it has a point; nil if it is not a number.
  private static func number(
    in text: ArraySlice<UInt8>, isSeconds: Bool
  ) throws(InvalidStamp) -> (Int64, Bool)? {
    let isNegative = text.first == UInt8(ascii: "-")
    let tooLarge = InvalidStamp(
      reason: "the stamp is more than 73 years from the origin", remedy: "count the stamps from a later origin")
    // Digits after the point; -1 before the point. The value is kept negative, as the range of Int64 is larger there.
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
    for _ in max(decimals, 0)..<(isSeconds ? 9 : max(decimals, 0)) {
      let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
      guard !over else { throw tooLarge }
      value = tenfold
    }
    guard value > -TraceTick.limit else { throw tooLarge }
    return (isNegative ? value : -value, decimals >= 0)
  }
}
