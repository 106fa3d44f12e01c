public import Ensemble
import Measurement
public import MusicalTime
public import PeerProtocol
import RTPMIDI
import Transports

/// The saved session of a peer, which ``Peer`` restores after a crash.
public struct SavedSession: Sendable, Equatable {
  /// The name or path of the patch, as the user has entered it.
  public var patch: String
  /// The name or path of the score, as the user has entered it; nil: none, or the score of another peer.
  public var score: String?
  public var tempo: Tempo
  /// The activity that the player has set; nil: none.
  public var activity: UInt8?
  public var gates: Gates
  /// The addresses of the peers in session, as `HOST:PORT`.
  public var peers: [String]
  /// The step at which the command `continue` starts the rhythm.
  public var position: Step
  /// The timeline message of the rhythm of which the peer was the master; nil in other roles.
  public var rhythm: TimelineMessage?
  /// The boot ID of the machine. The instants of the rhythm are only valid during this boot.
  public var boot: String

  public init(
    patch: String, tempo: Tempo, activity: UInt8?, gates: Gates, peers: [String], position: Step,
    rhythm: TimelineMessage?, boot: String, score: String? = nil
  ) {
    (self.patch, self.tempo, self.activity, self.gates) = (patch, tempo, activity, gates)
    (self.peers, self.position, self.rhythm, self.boot, self.score) = (peers, position, rhythm, boot, score)
  }
}

/// The file format: JSON, version 1.
extension SavedSession: Codable {
  /// The reason why a file cannot be used.
  enum Fault: Error {
    /// The file has this version, which is newer than ``version``.
    case isNewer(Int)
    /// The file is too large, or a value is out of range. A missing field or a value of a wrong type causes a `DecodingError` instead.
    case isDamaged
  }

  static let version = 1
  /// The maximum number of peers in a file. Tutti writes fewer.
  private static let maximumPeers = 4096
  /// The maximum length of the name or path of the patch in octets (PATH_MAX of Linux).
  private static let maximumPathLength = 4096
  /// The maximum length of the boot ID in octets. Linux writes 36.
  private static let maximumBootLength = 64
  /// The largest valid position in steps.
  private static let maximumPosition: Int64 = 1 << 40

  private enum CodingKeys: String, CodingKey {
    case version, patch, score, activity, gates, leaders, peers, position, rhythm, boot
    case tempo = "ns_per_quarter"
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let version = try fields.decode(Int.self, forKey: .version)
    guard version <= Self.version else { throw Fault.isNewer(version) }
    guard version == Self.version else { throw Fault.isDamaged }
    patch = try fields.decode(String.self, forKey: .patch)
    score = try fields.decodeIfPresent(String.self, forKey: .score)
    guard let tempo = Tempo(nanosecondsPerQuarter: try fields.decode(Int64.self, forKey: .tempo)) else {
      throw Fault.isDamaged
    }
    self.tempo = tempo
    activity = try fields.decodeIfPresent(UInt8.self, forKey: .activity)
    // The rules contain the gates of the leaders.
    gates = Gates(ledBy: try fields.decodeIfPresent([String].self, forKey: .leaders) ?? [])
    for rule in try fields.decode([String].self, forKey: .gates) { try gates.apply(rule) }
    peers = try fields.decode([String].self, forKey: .peers)
    position = Step(try fields.decode(Int64.self, forKey: .position))
    boot = try fields.decode(String.self, forKey: .boot)
    if let octets = try fields.decodeIfPresent([UInt8].self, forKey: .rhythm) {
      guard let timelineMessage = TimelineMessage(systemExclusive: octets) else { throw Fault.isDamaged }
      rhythm = timelineMessage
    }
    guard activity ?? 0 <= 127, peers.count <= Self.maximumPeers, (0...Self.maximumPosition).contains(position.index),
      [patch, score].allSatisfy({ name in
        name.map { (1...Self.maximumPathLength).contains($0.utf8.count) && !$0.utf8.contains(0) } ?? true
      }),
      boot.utf8.count <= Self.maximumBootLength,
      // The start of a peer must not wait for a name server.
      peers.allSatisfy({ SocketAddress.isNumeric($0) })
    else { throw Fault.isDamaged }
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "version": Self.version, "patch": patch, "score": score, "ns_per_quarter": tempo.nanosecondsPerQuarter,
      "activity": activity,
      "gates": gates.rules, "leaders": gates.leaders, "peers": peers, "position": position.index, "boot": boot,
      // The timeline message is stored in its wire format, because the decoder of this format checks all ranges.
      "rhythm": rhythm?.systemExclusive,
    ])
  }
}
