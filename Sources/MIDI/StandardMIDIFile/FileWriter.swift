/// Writes the chunks of a Standard MIDI File.
struct FileWriter {
  typealias WriteError = StandardMIDIFile.WriteError

  private(set) var bytes: [UInt8] = []
  private let usesRunningStatus: Bool

  init(usesRunningStatus: Bool) { self.usesRunningStatus = usesRunningStatus }

  mutating func append(_ file: StandardMIDIFile) throws(WriteError) {
    guard let division = file.division.word else {
      throw Self.fault(
        "\(file.division) is out of range", "use 1...32767 ticks per quarter note or 1...255 ticks per frame")
    }
    guard file.format != .singleTrack || file.tracks.count == 1 else {
      throw Self.fault("\(file.tracks.count) tracks in format 0", "use one track, or format 1")
    }
    guard let count = UInt16(exactly: file.tracks.count) else {
      throw Self.fault("\(file.tracks.count) tracks", "use at most 65535")
    }
    guard file.tracks.reduce(0, { $0 + $1.events.count }) <= StandardMIDIFile.maximumEvents else {
      throw Self.fault("too many events", "use at most \(StandardMIDIFile.maximumEvents)")
    }
    bytes += "MThd".utf8
    append(UInt32(6))
    append(file.format.rawValue)
    append(count)
    append(division)
    for (index, track) in file.tracks.enumerated() {
      var writer = TrackWriter(index: index, usesRunningStatus: usesRunningStatus)
      try writer.append(track)
      guard bytes.count + 8 + writer.bytes.count <= StandardMIDIFile.maximumBytes else {
        throw Self.fault(
          "too many bytes up to track \(index)", "use at most \(StandardMIDIFile.maximumBytes) bytes for the file")
      }
      bytes += "MTrk".utf8
      // The length fits in 32 bits, because `maximumBytes` is below 2^32.
      append(UInt32(writer.bytes.count))
      bytes += writer.bytes
    }
  }

  /// Appends a number, the most significant byte first.
  private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private static func fault(_ reason: String, _ remedy: String) -> WriteError {
    WriteError(track: nil, event: nil, reason: reason, remedy: remedy)
  }
}
