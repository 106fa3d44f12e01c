import MusicalTime

/// The protocol with which `tutti measure network` requests the clock of a peer.
public enum NetworkProtocol: String, Hashable, Sendable, Codable {
  /// The clock synchronization packets (CK) of AppleMIDI, which every RTP-MIDI peer answers. Stamps are in units of 100 us.
  case clockPackets = "CK"
  /// The clock probes of Tutti peers. Stamps are in nanoseconds.
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
