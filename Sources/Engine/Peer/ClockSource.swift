/// Whose clock a peer keeps.
public enum ClockSource: Hashable, Sendable {
  /// An ALSA sequencer port, by name or number.
  case port(String)
  /// An RTP-MIDI peer, by `HOST` or `HOST:PORT`.
  case peer(String)

  /// What begins a peer's name, as it is written; anything else is a port's.
  static let peerPrefix = "rtp:"

  /// Reads `text` as people write it: a port's name, or `rtp:HOST[:PORT]`.
  public init(_ text: String) {
    self =
      text.hasPrefix(Self.peerPrefix) ? .peer(String(text.dropFirst(Self.peerPrefix.count))) : .port(text)
  }
}
