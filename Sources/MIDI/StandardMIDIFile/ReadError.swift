extension StandardMIDIFile {
  /// The error for bytes that are not a valid Standard MIDI File.
  ///
  /// Real-time: not safe.
  public struct ReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in the file of the first byte that the error concerns. If the file or a chunk ends too early, the offset of its end.
    public let offset: Int
    /// What the reader found.
    public let found: String
    /// What the reader expected instead.
    public let expected: String

    /// `byte 23: found FF as a data byte; expected 00...7F`
    public var description: String { "byte \(offset): found \(found); expected \(expected)" }
  }
}
