/// A kind of path of a tick through a peer: a sequence of instants. The stages of the path are the times between successive instants.
///
/// Real-time: not safe.
public enum PathKind: String, Hashable, Sendable, CaseIterable, Codable {
  /// From the due instant to the write to the ALSA clock port.
  case clockPort = "clock port"
  /// From the due instant to the packet for a play-on-arrival receiver.
  case packets = "packets at the due time"
  /// From the due instant to the packet for a time-stamp receiver. The packet leaves before the due instant, so the duration is negative.
  case packetsAhead = "packets ahead of the due time"
  /// From the due instant at a follower to the arrival of the master's packet. The packet is usually sent before the due instant, so the
  /// first duration is usually negative.
  case network
  /// From the due instant to the first frame of the sound, at a peer that follows no Tutti master.
  case sound
  /// From the due instant to the first frame of the sound, at a follower of a Tutti master.
  case receivedSound = "sound of a follower"

  /// The names of the instants, in the order of the path. "Woken": the clock thread found that the tick was due. "Scheduled": the clock
  /// thread passed the hits of the step to the audio thread. The article <doc:PathFigures> defines all instants.
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
