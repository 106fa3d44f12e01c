extension StandardMIDIFile {
  /// A meta event: a type and bytes. End of Track (type 2F) is not among the events of a track; see
  /// ``Track/end``.
  ///
  /// The typed properties ignore excess bytes, as the specification requires. They return nil for an event of another type or with too
  /// few bytes.
  public struct MetaEvent: Hashable, Sendable {
    /// The types that have typed properties.
    private enum Kind {
      static let trackName: UInt8 = 0x03
      static let tempo: UInt8 = 0x51
      static let timeSignature: UInt8 = 0x58
    }

    /// The type End of Track.
    static let endOfTrack: UInt8 = 0x2F

    /// The type, the byte after FF. Defined types are below 80 hexadecimal.
    public let type: UInt8
    /// The bytes after the length.
    public let bytes: [UInt8]

    /// Creates the event with type `type` and content `bytes`.
    ///
    /// Real-time: not safe.
    public init(type: UInt8, bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

    /// Creates a Set Tempo event.
    ///
    /// - Parameter microsecondsPerQuarter: the duration of a quarter note; 500 000 for 120 BPM.
    /// - Returns: nil unless the duration is 1...16 777 215.
    ///
    /// Real-time: not safe.
    public init?(microsecondsPerQuarter: Int) {
      guard (1...0xFF_FFFF).contains(microsecondsPerQuarter) else { return nil }
      self.init(
        type: Kind.tempo, bytes: [16, 8, 0].map { UInt8(truncatingIfNeeded: microsecondsPerQuarter >> $0) })
    }

    /// Creates a Time Signature event.
    ///
    /// Real-time: not safe.
    public init(_ signature: TimeSignature) { self.init(type: Kind.timeSignature, bytes: signature.bytes) }

    /// Creates a Track Name event with the text `trackName` in UTF-8.
    ///
    /// Real-time: not safe.
    public init(trackName: String) { self.init(type: Kind.trackName, bytes: Array(trackName.utf8)) }

    /// The duration of a quarter note from Set Tempo (FF 51) in microseconds, 1...16 777 215. Nil if the event contains the duration 0,
    /// because no tempo has this duration.
    ///
    /// Real-time: not safe.
    public var microsecondsPerQuarter: Int? {
      guard type == Kind.tempo, bytes.count >= 3 else { return nil }
      let duration = bytes[..<3].reduce(0) { $0 << 8 | Int($1) }
      return duration > 0 ? duration : nil
    }

    /// The time signature of a Time Signature event (FF 58).
    ///
    /// Real-time: not safe.
    public var timeSignature: TimeSignature? { type == Kind.timeSignature ? TimeSignature(bytes: bytes) : nil }

    /// The text of a Track Name event (FF 03).
    ///
    /// Real-time: not safe.
    public var trackName: String? { type == Kind.trackName ? text : nil }

    /// The text of a text event (FF 01...FF 0F). The specification defines no encoding beyond ASCII. Bytes that are valid UTF-8 are
    /// decoded as UTF-8, other bytes as Latin-1. The text of a hostile file may contain control characters.
    ///
    /// Real-time: not safe.
    public var text: String? {
      guard (1...0x0F).contains(type) else { return nil }
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
      return String(scalars)
    }
  }
}
