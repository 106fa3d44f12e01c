/// A ZIP archive whose entries are not compressed, as a compressed MusicXML file. Source: APPNOTE.TXT of PKWARE.
struct StoredArchive {
  private(set) var octets: [UInt8] = []

  /// The archive of one score.
  init(musicXML: [UInt8]) {
    let container = #"<container><rootfiles><rootfile full-path="a.musicxml"/></rootfiles></container>"#
    var directory: [UInt8] = []
    for (name, content) in [("META-INF/container.xml", Array(container.utf8)), ("a.musicxml", musicXML)] {
      let offset = octets.count
      // Version 2.0, no flags, stored, no time; checksum, sizes, and the lengths of the name and of no extra field.
      let common = Self.little([20, 0, 0, 0, 0], 2) + Self.little([Self.checksum(content), UInt32(content.count)], 4)
      let rest = Self.little([UInt32(content.count)], 4) + Self.little([UInt32(name.utf8.count), 0], 2)
      octets += [0x50, 0x4B, 3, 4] + common + rest + name.utf8 + content
      directory += [0x50, 0x4B, 1, 2] + Self.little([20], 2) + common + rest
      directory += Self.little([0, 0, 0], 2) + Self.little([0, UInt32(offset)], 4) + name.utf8
    }
    let start = octets.count
    octets += directory + [0x50, 0x4B, 5, 6] + Self.little([0, 0, 2, 2], 2)
    octets += Self.little([UInt32(directory.count), UInt32(start)], 4) + [0, 0]
  }

  private static func little(_ numbers: [UInt32], _ width: Int) -> [UInt8] {
    numbers.flatMap { number in (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) } }
  }

  /// CRC-32 with the polynomial EDB88320.
  private static func checksum(_ octets: [UInt8]) -> UInt32 {
    ~octets.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }
}
