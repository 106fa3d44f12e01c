import Glibc

/// The header of a WAV file or a SoundFont (RIFF: Microsoft, "Multimedia Programming Interface and Data Specifications", 1991;
/// RF64: EBU Tech 3306). A truncated file is smaller than its header states.
struct RIFFHeader {
  /// The form type: the kind of the file in four characters, for example `WAVE`.
  let form: String
  /// Whether the file has all octets that the header states.
  let isComplete: Bool

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
    let statedSize: Int64
    switch Array(octets[0..<4]) {
    case Array("RIFF".utf8): statedSize = Int64(number(at: 4, octets: 4)) + 8
    case Array("RF64".utf8) where Array(octets[12..<16]) == Array("ds64".utf8):
      // The header of a damaged file can state any number.
      statedSize = Int64(min(number(at: 20, octets: 8), UInt64(Int64.max - 8))) + 8
    default: return nil
    }
    isComplete = Int64(status.st_size) >= statedSize
    form = String(decoding: octets[8..<12], as: UTF8.self)
  }
}
