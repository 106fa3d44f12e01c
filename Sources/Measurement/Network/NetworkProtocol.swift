import MusicalTime

/// The protocol of the requests to a peer.
public enum NetworkProtocol: String, Hashable, Sendable, Codable {
  /// The clock packets of AppleMIDI, which every RTP-MIDI peer answers. Stamps count 100 us.
  case clockPackets = "CK"
  /// The clock probes of Tutti peers. Stamps count nanoseconds.
  case probes = "Tutti"

  /// The resolution of the stamps of the peer.
  ///
  /// Real-time: not safe.
  public var resolution: Nanoseconds {
    switch self {
    case .clockPackets: .microseconds(100)
    case .probes: Nanoseconds(1)
    }
  }
}
