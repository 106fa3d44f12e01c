import MusicalTime
import PeerProtocol

/// The players of a member, as its list and its energies report them.
struct MemberPlayers: Sendable {
  /// The newest list; nil before the first one.
  private(set) var list: (digest: DocumentDigest, players: PlayerList)?
  /// The document of ``list``.
  private(set) var document: Document?
  /// The energies by slot of the list.
  private var energies: [UInt8] = []
  /// The slots of the players that have moved to another peer. They do not count at this peer.
  var movedSlots: Set<Int> = []
  /// When the last reception of a list began.
  var lastBeginning = Instant(nanoseconds: .min / 2)
  /// The list that cannot be read, or is not the one that the peer announced.
  var refused: DocumentDigest?

  /// The players that are at this peer, with their slots.
  var present: [(slot: Int, player: Player)] {
    list?.players.players.filter { !movedSlots.contains($0.slot) } ?? []
  }

  mutating func set(_ list: PlayerList, _ document: Document) {
    (self.list, self.document) = ((document.digest, list), document)
    energies = []
  }

  mutating func set(_ energies: PlayerEnergies) {
    if energies.list == list?.digest.high { self.energies = energies.energies }
  }

  /// The energy of the player in a slot; nil if it is not known.
  func energy(_ slot: Int) -> UInt8? { slot < energies.count ? energies[slot] : nil }

  /// `summary` without the players that have moved.
  func removingMoved(from summary: PlayerSummary) -> PlayerSummary {
    guard !movedSlots.isEmpty else { return summary }
    var result = summary
    for slot in movedSlots { result.sum -= Int(energy(slot) ?? 0) }
    result.sum = max(result.sum, 0)
    result.count = max(summary.count - movedSlots.count, 0)
    result.maximum = min(
      energies.indices.filter { !movedSlots.contains($0) }.map { energies[$0] }.max() ?? 0, summary.maximum)
    return result
  }
}
