import MIDI

/// A Standard MIDI File as `midifiles.py` describes it.
struct MidoFile: Decodable, Equatable, Sendable {
  /// A message or a meta event.
  struct Event: Decodable, Equatable, Sendable {
    /// The number of ticks from the beginning of the track.
    var tick: Int64
    /// The octets without lengths: status and data; F0, data and F7; or FF, type and content.
    var octets: [UInt8]
  }

  var path: String
  /// The reason why mido cannot read the file; nil if it can. With a reason, ``format``, ``division`` and ``tracks`` are nil.
  var error: String?
  var format: UInt16?
  /// The division: the last word of the header.
  var division: Int?
  var tracks: [[Event]]?

  /// Describes `file` as mido describes it after reading it.
  init(_ file: StandardMIDIFile, path: String) {
    self.path = path
    format = file.format.rawValue
    division =
      switch file.division {
      case .ticksPerQuarter(let count): count
      // The upper octet is the negative frame rate in two's complement.
      case .timeCode(let rate, let count): (256 - rate.rawValue) << 8 | count
      }
    tracks = file.tracks.map { track in
      track.events.map { Event(tick: $0.tick, octets: Self.octets($0.content)) } + [Self.endOfTrack(at: track.end)]
    }
  }

  /// The file that mido has read, changed to what `StandardMIDIFile` reads. `StandardMIDIFile` ignores events after the first End of
  /// Track of a track, and adds a missing End of Track at the last event. mido does neither.
  var endingAtEndOfTrack: MidoFile {
    var file = self
    file.tracks = tracks?.map { track in
      let events = track.prefix { $0.octets != Self.endOfTrack(at: 0).octets }
      return events + [events.count < track.count ? track[events.count] : Self.endOfTrack(at: track.last?.tick ?? 0)]
    }
    return file
  }

  private static func endOfTrack(at tick: Int64) -> Event { Event(tick: tick, octets: [0xFF, 0x2F]) }

  /// The octets of an event as `midifiles.py` prints them.
  private static func octets(_ content: StandardMIDIFile.Event.Content) -> [UInt8] {
    switch content {
    case .message(let message):
      let bytes = message.bytes
      return (0..<bytes.count).map { bytes.octets[$0] }
    // mido has no escape packets and reads them as complete System Exclusives.
    case .systemExclusive(let bytes), .escape(let bytes):
      let data = bytes.last == 0xF7 ? bytes.dropLast() : bytes[...]
      return [0xF0] + (data.first == 0xF0 ? data.dropFirst() : data) + [0xF7]
    // mido reads an empty Sequence Number or MIDI Port as 0.
    case .meta(let meta) where meta.type == 0x00 && meta.bytes.isEmpty: return [0xFF, 0x00, 0, 0]
    case .meta(let meta) where meta.type == 0x21 && meta.bytes.isEmpty: return [0xFF, 0x21, 0]
    case .meta(let meta): return [0xFF, meta.type] + meta.bytes
    }
  }
}
