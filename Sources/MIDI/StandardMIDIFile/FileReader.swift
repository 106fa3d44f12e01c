/// Reads the chunks of a Standard MIDI File.
struct FileReader {
  typealias ReadError = StandardMIDIFile.ReadError

  private static let headerType = Array("MThd".utf8)
  private static let trackType = Array("MTrk".utf8)

  /// The relation between the tracks.
  let format: StandardMIDIFile.Format
  /// The length of a tick.
  let division: StandardMIDIFile.Division
  /// The number of tracks that the header announces.
  private let announced: Int
  /// The number of tracks that have been found.
  private var found = 0
  /// The warnings about the chunks.
  private(set) var warnings = StandardMIDIFile.Warnings()
  private var bytes: ByteReader

  /// Reads the header of the file that consists of `bytes`.
  init(_ bytes: [UInt8]) throws(ReadError) {
    self.bytes = ByteReader(bytes)
    guard bytes.count <= StandardMIDIFile.maximumBytes else {
      throw ReadError(
        offset: 0, found: "a file of \(bytes.count) bytes", expected: "at most \(StandardMIDIFile.maximumBytes) bytes")
    }
    try self.bytes.enterRIFF()
    (format, announced, division) = try Self.header(&self.bytes)
  }

  /// Returns a reader of the events of the next track. Returns nil after the last track that the header announces. Some programs also count
  /// other chunks there, so a file may have fewer tracks.
  mutating func nextTrack() throws(ReadError) -> TrackReader? {
    guard found < announced else { return nil }
    while let (type, isComplete, part) = try chunk() {
      // Chunks of unknown types are skipped.
      guard type == Self.trackType else { continue }
      found += 1
      return TrackReader(part, isComplete: isComplete)
    }
    guard found > 0 else {
      throw ReadError(
        offset: bytes.end, found: "the end of the file", expected: "a track, because the header announces \(announced)")
    }
    warnings.add(
      .init(
        offset: bytes.end, found: "the end of the file after \(found) of \(announced) tracks",
        consequence: "the file is read without the missing tracks"))
    return nil
  }

  /// Reads the header chunk. Bytes after its first six are ignored, as the specification requires.
  private static func header(
    _ bytes: inout ByteReader
  ) throws(ReadError) -> (StandardMIDIFile.Format, tracks: Int, StandardMIDIFile.Division) {
    let start = bytes.offset
    let type = try bytes.take(min(4, bytes.remaining), "MThd")
    guard type == headerType else {
      throw ReadError(
        offset: start, found: type.isEmpty ? "an empty file" : type.map(hex).joined(separator: " "),
        expected: "4D 54 68 64 (MThd), the beginning of a Standard MIDI File")
    }
    let length = try bytes.number(bytes: 4, "the length of the header")
    guard length >= 6 else {
      throw ReadError(offset: start + 4, found: "a header of \(length) bytes", expected: "at least 6 bytes")
    }
    var header = bytes.part(length: length)
    let format = try header.number(bytes: 2, "the format")
    let count = try header.number(bytes: 2, "the number of tracks")
    let word = try header.number(bytes: 2, "the division")
    guard let known = StandardMIDIFile.Format(rawValue: UInt16(format)) else {
      throw ReadError(offset: start + 8, found: "format \(format)", expected: "format 0, 1 or 2")
    }
    guard let division = StandardMIDIFile.Division(word: UInt16(word)) else {
      throw ReadError(
        offset: start + 12, found: "division \(hex(UInt8(word >> 8))) \(hex(UInt8(word & 0xFF)))",
        expected: "hexadecimal 0001...7FFF, the ticks per quarter note, or a frame rate (E8, E7, E3 or E2) "
          + "followed by 01...FF, the ticks per frame")
    }
    // A file of format 0 must have one track. With another number of tracks, it is read as format 1.
    return (known == .singleTrack && count != 1 ? .simultaneousTracks : known, Int(count), division)
  }

  /// Reads the type and the length of the next chunk. Returns the type, whether the file contains the whole chunk, and a reader of its
  /// bytes. Returns nil if fewer than eight bytes remain.
  private mutating func chunk() throws(ReadError) -> (type: [UInt8], isComplete: Bool, part: ByteReader)? {
    guard bytes.remaining >= 8 else { return nil }
    let type = try bytes.take(4, "the type of a chunk")
    let length = try bytes.number(bytes: 4, "the length of a chunk")
    let isComplete = UInt64(length) <= UInt64(bytes.remaining)
    return (type, isComplete, bytes.part(length: length))
  }
}
