/// A way of a tick through a peer: a sequence of instants. The durations between them are the stages.
public enum PathKind: String, Hashable, Sendable, CaseIterable, Codable {
  /// From the due instant to the write to the ALSA clock port.
  case clockPort = "clock port"
  /// From the due instant to the packet for a receiver that plays on arrival.
  case packets = "packets at the due time"
  /// From the due instant to the packet for a receiver that honours time stamps. The packet leaves before the due instant, so the
  /// duration is negative.
  case packetsAhead = "packets ahead of the due time"
  /// From the due instant at a follower to the arrival of the master's packet.
  case network
  /// From the due instant to the first frame, at a peer that received no tick of a Tutti master.
  case sound
  /// From the due instant to the first frame, at a follower.
  case receivedSound = "sound of a follower"

  /// The names of the instants, in the order of the path.
  public var instants: [String] {
    switch self {
    case .clockPort: ["due", "woken", "written"]
    case .packets: ["due", "woken", "sent"]
    case .packetsAhead: ["due", "sent"]
    case .network: ["due", "sent", "received"]
    case .sound: ["due", "scheduled", "first frame"]
    case .receivedSound: ["due", "sent", "received", "scheduled", "first frame"]
    }
  }

  /// The names of the stages, in the order of the path.
  public var stages: [String] { zip(instants, instants.dropFirst()).map { "\($0) -> \($1)" } }
}
