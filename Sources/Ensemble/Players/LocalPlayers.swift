import MIDI
import MusicalTime
import PeerProtocol

/// The players of the local peer: the local player in slot 0, web pages and adopted devices in the other slots.
///
/// A player keeps the slot as long as the player stays. The energy of a player is an ``ActivityLevel``: the player's own base value, plus
/// what the player plays at the moment. The peer reports the sum of all energies to the master, so that each player counts, not each peer.
struct LocalPlayers: Sendable {
  /// A player in a slot.
  struct Entry: Sendable {
    var player: Player
    var level: ActivityLevel
    /// Whether the player has set a base value. Notes and movements alone do not.
    var isSet = false
    /// Whether the player has set a base value, or has played.
    var hasTakenPart = false
    /// When the player joined.
    var since: Instant
  }

  /// The players by slot; the first element is the local player.
  private(set) var entries: [Entry?]
  /// The list for the other peers.
  private(set) var document: Document
  /// The number of changes of ``list`` and ``entries``.
  private(set) var changes = 0

  init(local player: Player, base: UInt8?) {
    var entry = Entry(player: player, level: ActivityLevel(base ?? 0), since: Instant(nanoseconds: .min))
    (entry.isSet, entry.hasTakenPart) = (base != nil, base != nil)
    entries = [entry]
    document = Document(.players, PlayerList([player]).octets)!
  }

  // MARK: Players

  /// The local player.
  var local: Entry {
    get { entries[0]! }
    set { entries[0] = newValue }
  }

  /// The number of players.
  var count: Int { entries.count { $0 != nil } }

  /// All players.
  var players: [Player] { entries.compactMap { $0?.player } }

  /// The list of the players.
  var list: PlayerList { PlayerList(entries.map { $0?.player }) }

  func slot(of identity: Identity) -> Int? { entries.firstIndex { $0?.player.identity == identity } }

  subscript(identity: Identity) -> Entry? { slot(of: identity).flatMap { entries[$0] } }

  /// The player on a channel of the local peer, other than the local player.
  func player(on channel: Channel) -> Player? { players.first { $0.channel == channel && $0.kind != .local } }

  /// Adds a player, or replaces what is known about a player with the same identity, whose energy remains.
  ///
  /// - Returns: false if there are ``PlayerList/maximumCount`` players.
  mutating func join(_ player: Player, at now: Instant) -> Bool {
    if let slot = slot(of: player.identity) {
      entries[slot]!.player = player
    } else if let slot = entries.firstIndex(where: { $0 == nil }) {
      entries[slot] = Entry(player: player, level: ActivityLevel(), since: now)
    } else {
      guard entries.count < PlayerList.maximumCount else { return false }
      entries.append(Entry(player: player, level: ActivityLevel(), since: now))
    }
    update()
    return true
  }

  /// Removes a player other than the local player. Returns whether there was such a player.
  mutating func leave(_ identity: Identity) -> Bool {
    guard let slot = slot(of: identity), slot > 0 else { return false }
    entries[slot] = nil
    while case .some(.none) = entries.last { entries.removeLast() }
    update()
    return true
  }

  /// Changes what is known about a player. Returns whether anything has changed.
  @discardableResult
  mutating func change(_ identity: Identity, _ body: (inout Player) -> Void) -> Bool {
    guard let slot = slot(of: identity) else { return false }
    var player = entries[slot]!.player
    body(&player)
    guard player != entries[slot]!.player else { return false }
    entries[slot]!.player = player
    update()
    return true
  }

  private mutating func update() {
    changes += 1
    document = Document(.players, list.octets)!
  }

  // MARK: Energy

  /// Whether a player has set a base value.
  var isSet: Bool { entries.contains { $0?.isSet == true } }

  /// The players in numbers. The local player counts in the mean as soon as it has taken part, or if it is the only player.
  var summary: PlayerSummary {
    var summary = PlayerSummary(list: document.digest, count: 0)
    for case (let slot, let entry?) in entries.enumerated() {
      if slot > 0 || entry.hasTakenPart || count == 1 { summary.count += 1 }
      summary.sum += Int(entry.level.value)
      summary.maximum = max(summary.maximum, entry.level.value)
    }
    summary.count = max(summary.count, 1)
    return summary
  }

  /// The energies by slot.
  var energies: [UInt8] { entries.map { $0?.level.value ?? 0 } }

  /// When an energy changes next.
  var nextDeadline: Instant { entries.reduce(.distantFuture) { min($0, $1?.level.nextDeadline ?? .distantFuture) } }

  /// Changes the energy of a player.
  ///
  /// - Parameters:
  ///   - identity: the player; nil: the local player.
  ///   - sets: whether the player sets the base value.
  mutating func changeLevel(of identity: Identity?, sets: Bool, _ body: (inout ActivityLevel) -> Void) {
    guard let slot = identity.map({ slot(of: $0) }) ?? 0 else { return }
    body(&entries[slot]!.level)
    if sets { entries[slot]!.isSet = true }
    entries[slot]!.hasTakenPart = true
  }

  mutating func advance(to now: Instant) {
    for slot in entries.indices { entries[slot]?.level.advance(to: now) }
  }
}
