import NIOCore

/// A WAV file in memory: 16-bit mono PCM ("Multimedia Programming Interface and Data Specifications 1.0", IBM and Microsoft 1991).
enum WAVData {
  /// The length of the header in octets.
  static let headerLength = 44

  /// Returns a file with the samples `levels` at a rate of `rate` frames per second.
  static func octets(of levels: [Int16], rate: Int64) -> ByteBuffer {
    let length = UInt32(2 * levels.count)
    var buffer = ByteBuffer()
    buffer.reserveCapacity(headerLength + Int(length))
    func append(_ name: String) { buffer.writeString(name) }
    append("RIFF")
    // The number of octets after this field: the rest of the header, 36 octets, and the samples.
    buffer.writeInteger(36 + length, endianness: .little)
    append("WAVEfmt ")
    // The length of the format block in octets, the format PCM, one channel.
    buffer.writeMultipleIntegers(UInt32(16), UInt16(1), UInt16(1), endianness: .little)
    // Frames and octets per second, octets per frame, bits per sample.
    buffer.writeMultipleIntegers(UInt32(rate), UInt32(2 * rate), UInt16(2), UInt16(16), endianness: .little)
    append("data")
    buffer.writeInteger(length, endianness: .little)
    for level in levels { buffer.writeInteger(level, endianness: .little) }
    return buffer
  }
}
