/// The source of an external clock.
///
/// Real-time: not safe.
public enum ClockSource: Hashable, Sendable {
  /// An ALSA sequencer port, by name or number.
  case port(String)
  /// An RTP-MIDI device, by `HOST` or `HOST:PORT`.
  case peer(String)

  /// The prefix of ``peer(_:)`` in the text form. A text without this prefix is the name of a port.
  static let peerPrefix = "rtp:"

  /// Parses the text form: the name of a port, or `rtp:HOST[:PORT]`.
  public init(_ text: String) {
    self =
      text.hasPrefix(Self.peerPrefix) ? .peer(String(text.dropFirst(Self.peerPrefix.count))) : .port(text)
  }
}
