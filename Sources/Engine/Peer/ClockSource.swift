/// The source of an external clock.
public enum ClockSource: Hashable, Sendable {
  /// An ALSA sequencer port, by name or number.
  case port(String)
  /// An RTP-MIDI peer, by `HOST` or `HOST:PORT`.
  case peer(String)

  /// The prefix of an RTP-MIDI peer in its text form. Any other text is the name of a port.
  static let peerPrefix = "rtp:"

  /// Parses the text form: the name of a port, or `rtp:HOST[:PORT]`.
  public init(_ text: String) {
    self =
      text.hasPrefix(Self.peerPrefix) ? .peer(String(text.dropFirst(Self.peerPrefix.count))) : .port(text)
  }
}
