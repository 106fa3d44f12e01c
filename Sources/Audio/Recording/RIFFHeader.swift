import Glibc

/// The size that the header of a WAV file states (RIFF: Microsoft, "Multimedia Programming Interface and Data
/// Specifications", 1991; RF64: EBU Tech 3306), and the real size of the file. A truncated file is smaller than stated.
struct RIFFHeader {
  /// The size of the file in octets that the header states.
  let statedSize: Int64
  /// The size of the file in octets.
  let size: Int64

  /// Reads the header of an open file without changing its position. Returns nil if the file has another format or cannot be
  /// read.
  init?(_ descriptor: Int32) {
    var status = stat()
    var octets = [UInt8](repeating: 0, count: 28)
    guard fstat(descriptor, &status) == 0, pread(descriptor, &octets, octets.count, 0) == octets.count else {
      return nil
    }
    func number(at offset: Int, octets count: Int) -> UInt64 {
      octets[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    // Both formats state the size without the first eight octets of the file.
    switch Array(octets[0..<4]) {
    case Array("RIFF".utf8): statedSize = Int64(number(at: 4, octets: 4)) + 8
    case Array("RF64".utf8) where Array(octets[12..<16]) == Array("ds64".utf8):
      // The header of a damaged file can state any number.
      statedSize = Int64(min(number(at: 20, octets: 8), UInt64(Int64.max - 8))) + 8
    default: return nil
    }
    size = Int64(status.st_size)
  }
}
