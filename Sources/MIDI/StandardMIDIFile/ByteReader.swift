/// A cursor over part of the bytes of a Standard MIDI File. It never reads beyond the part.
struct ByteReader {
  typealias ReadError = StandardMIDIFile.ReadError

  private let bytes: [UInt8]
  /// The offset in the file of the next byte.
  private(set) var offset: Int
  /// The offset in the file at which the part ends.
  let end: Int

  /// Creates a cursor over all of `bytes`.
  init(_ bytes: [UInt8]) { (self.bytes, offset, end) = (bytes, 0, bytes.count) }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    (self.bytes, offset, end) = (bytes, range.lowerBound, range.upperBound)
  }

  /// The number of bytes that have not been read.
  var remaining: Int { end - offset }
  /// Whether the part extends to the end of the file.
  var isLastPart: Bool { end == bytes.count }

  /// Reads one byte.
  ///
  /// - Parameter name: the name of the byte, for the error message if no byte remains.
  mutating func byte(_ name: String) throws(ReadError) -> UInt8 {
    guard remaining > 0 else { throw endError(expected: name) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The next byte, which is not consumed; nil at the end of the part.
  var next: UInt8? { remaining > 0 ? bytes[offset] : nil }

  /// Reads `count` bytes.
  ///
  /// - Parameter name: the name of the bytes, for the error message if fewer bytes remain.
  mutating func take(_ count: Int, _ name: String) throws(ReadError) -> [UInt8] {
    guard count <= remaining else {
      throw ReadError(
        offset: offset, found: "length \(count) of \(name)",
        expected: "at most \(remaining), the number of bytes up to the end of the \(isLastPart ? "file" : "chunk")")
    }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Reads a number of two or four bytes, the most significant byte first.
  mutating func number(bytes count: Int, _ name: String) throws(ReadError) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<count { number = try number << 8 | UInt32(byte(name)) }
    return number
  }

  /// Reads a variable-length quantity: seven bits per byte, in at most four bytes. The last byte is below 80 hexadecimal.
  mutating func variableLength(_ name: String) throws(ReadError) -> Int {
    let start = offset
    var number = 0
    for _ in 0..<4 {
      let byte = try byte(name)
      number = number << 7 | Int(byte & 0x7F)
      if byte < 0x80 { return number }
    }
    throw ReadError(
      offset: start, found: "\(name) in more than four bytes",
      expected: "a fourth byte of hexadecimal 00...7F, not \(hex(bytes[offset - 1]))")
  }

  /// If the bytes begin with a RIFF file of the form RMID, continues with the content of its data chunk. Lengths in RIFF files are
  /// little-endian.
  mutating func enterRIFF() throws(ReadError) {
    func text(_ offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }
    guard remaining >= 12, text(offset) == "RIFF", text(offset + 8) == "RMID" else { return }
    offset += 12
    while remaining >= 8 {
      let type = text(offset)
      let length = (4..<8).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1 - 4)) }
      offset += 8
      let content = part(length: length)
      if type == "data" {
        self = content
        return
      }
      // A chunk of an odd length is followed by a byte of padding.
      if length % 2 == 1, remaining > 0 { offset += 1 }
    }
    throw ReadError(offset: end, found: "the end of the RIFF file", expected: "a data chunk with a Standard MIDI File")
  }

  /// Skips the next `length` bytes and returns a cursor over them. If fewer bytes remain, the cursor covers all remaining bytes.
  mutating func part(length: UInt32) -> ByteReader {
    // The lengths are compared as 64-bit numbers, because `Int` has only 32 bits on some platforms.
    let count = Int(min(UInt64(length), UInt64(remaining)))
    defer { offset += count }
    return ByteReader(bytes, offset..<offset + count)
  }

  /// Returns the error for a part that ends where `expected` should follow.
  func endError(expected: String) -> ReadError {
    ReadError(offset: end, found: "the end of the \(isLastPart ? "file" : "chunk")", expected: expected)
  }
}

/// Returns the byte as two hexadecimal digits.
func hex(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return digits.utf8.count == 1 ? "0" + digits : digits
}
