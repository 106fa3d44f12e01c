import MIDI
public import MusicalTime
public import PeerProtocol

// The players of all peers.
//
// Each peer lists its players in a document (``PeerProtocol/PlayerList``), whose digest is in its presence. The other peers request the list
// from the peer itself, whenever the digest has changed. The energies travel in a small message (``PeerProtocol/PlayerEnergies``).
//
// A phone that finds its peer no longer continues at another peer. It keeps its identity and counts its moves. Until the former peer notices
// that the phone has left, both list it. The row with the greater number of moves is right. All peers that hear both lists ignore the other
// row, and the former peer removes it. So no player counts twice, even if the two peers do not hear each other.
extension EnsembleState {
  /// The shortest time between two receptions of lists from one peer.
  private static var listPause: Nanoseconds { .milliseconds(250) }

  /// The time between the last change of a list and the settling of the signs. When peers meet, their lists arrive one after another.
  private static var signGathering: Nanoseconds { .milliseconds(500) }

  // MARK: Players of the local peer

  /// The players of the local peer: the local player first.
  public var localPlayers: [Player] { players.players }

  /// The player of the local peer with this identity.
  public func localPlayer(_ identity: Identity) -> Player? { players[identity]?.player }

  /// Adds a page or a device as a player, or updates it. Its sign is the wanted one if no other player has it, otherwise the lowest free one.
  /// A player who has given no name is called by the sign.
  ///
  /// - Parameters:
  ///   - name: must be clean (`cleanName`); nil: the name of the sign.
  ///   - sign: the wanted sign; nil: any.
  /// - Returns: false if the local peer has ``PlayerList/maximumCount`` players.
  @discardableResult
  public mutating func join(
    _ identity: Identity, _ kind: Player.Kind, named name: String? = nil, sign: Sign? = nil,
    instrument: PlayerInstrumentCode = .none, moves: UInt32 = 0, at now: Instant
  ) -> Bool {
    let former = players[identity]?.player
    let sign = freeSign(wanted: sign ?? former?.sign, for: identity)
    var player = Player(
      identity: identity, kind: kind, moves: max(moves, former?.moves ?? 0), name: name ?? sign.name, sign: sign,
      instrument: instrument, channel: former?.channel, partner: former?.partner)
    if former == nil { player.channel = nil }
    guard players.join(player, at: now) else { return false }
    playersChanged(at: now)
    return true
  }

  /// Removes a page or a device.
  public mutating func leave(_ player: Identity, at now: Instant) {
    guard players.leave(player) else { return }
    leader?.muted.remove(player)
    playersChanged(at: now)
    updateShare()
    advanceActivity(to: now)
  }

  /// Changes the name, the instrument or the partner of a player of the local peer.
  public mutating func change(_ player: Identity, at now: Instant, _ body: (inout Player) -> Void) {
    if players.change(player, body) { playersChanged(at: now) }
  }

  /// The energy of a player of the local peer, 0...127.
  public func energy(of player: Identity) -> UInt8? { players[player]?.level.value }

  /// The sign for a player of the local peer: the wanted one if no other player has it, otherwise the lowest one that nobody has.
  private func freeSign(wanted: Sign?, for identity: Identity) -> Sign {
    var taken = Set<Sign>()
    for player in players.players where player.identity != identity { taken.insert(player.sign) }
    for member in roster.members {
      for (_, player) in roster[member.slot].membership!.players.present where player.identity != identity {
        taken.insert(player.sign)
      }
    }
    if let wanted, !taken.contains(wanted) { return wanted }
    let free = (0..<Sign.count).first { !taken.contains(Sign($0)) }
    return free.map { Sign($0) } ?? wanted ?? Sign(0)
  }

  /// Changes the signs of the local peer's players that a player with a lower identity has too. Those of all peers that must change their
  /// sign take different free signs, in the order of their identities. If no sign is free, signs repeat.
  private mutating func settleSigns() {
    var all = players.players
    for member in roster.members { all += roster[member.slot].membership!.players.present.map(\.player) }
    all.sort { $0.identity < $1.identity }
    var taken = Set<Sign>()
    var moving: [Player] = []
    for player in all where !taken.insert(player.sign).inserted { moving.append(player) }
    guard !moving.isEmpty else { return }
    let free = (0..<Sign.count).map { Sign($0) }.filter { !taken.contains($0) }
    for (player, sign) in zip(moving, free) {
      players.change(player.identity) {
        if $0.name == $0.sign.name { $0.name = sign.name }
        $0.sign = sign
      }
    }
  }

  /// Handles a change of the players of the local peer.
  private mutating func playersChanged(at now: Instant) {
    channels.rosterChanged(at: now)
    settleMoves(at: now)
  }

  // MARK: Players of all peers

  /// The number of players of all peers.
  public var playerCount: Int {
    roster.members.reduce(players.summary.count) {
      guard let membership = roster[$1.slot].membership else { return $0 }
      return $0 + membership.players.removingMoved(from: membership.presence?.players ?? PlayerSummary()).count
    }
  }

  /// The name of the local peer for the user. If another peer has the name too, all peers show the same longer name.
  public var displayedName: String {
    let name = roster.localName ?? "peer"
    return roster.isLocalNameShared ? Roster.distinctName(name, identity) : name
  }

  /// The peer that is shown by this longer name, because another peer has its name too; nil if there is none.
  public func peer(distinctlyNamed name: String) -> Identity? {
    name == displayedName && roster.isLocalNameShared ? identity : roster.member(distinctlyNamed: name)
  }

  /// All players: those of the local peer, then those of the members by ascending identity of the peer.
  ///
  /// Real-time: not safe.
  public func playerStatuses() -> [PlayerStatus] {
    var result = players.entries.compactMap { entry in
      entry.map {
        var player = $0.player
        if player.kind == .local { player.name = displayedName }
        return PlayerStatus(
          player: player, peer: identity, channel: player.kind == .local ? channel : player.channel,
          energy: $0.level.value, isMuted: isMuted(player.identity))
      }
    }
    for member in roster.members {
      guard let membership = roster[member.slot].membership else { continue }
      for (slot, player) in membership.players.present {
        let channel = player.kind == .local ? channel(of: member.identity) : player.channel
        let energy =
          membership.players.energy(slot)
          ?? (player.kind == .local && membership.presence?.players.count == 1
            ? membership.presence?.players.maximum : nil)
        var player = player
        if player.kind == .local, let name = roster[member.slot].distinctName { player.name = name }
        result.append(
          PlayerStatus(
            player: player, peer: member.identity, channel: channel, energy: energy,
            isMuted: leader?.muted.contains(player.identity) == true))
      }
    }
    return result
  }

  /// The player of a peer that plays on a channel. The notes on the shared channel 16, and those of a peer whose list is not known, are
  /// attributed to the local player of the peer.
  public func player(on channel: Channel, of peer: Identity) -> Identity {
    if peer == identity { return players.player(on: channel)?.identity ?? peer }
    guard let slot = roster.memberSlot(of: peer) else { return peer }
    let player = roster[slot].membership!.players.present.first { $0.player.channel == channel }?.player
    return player?.identity ?? peer
  }

  /// The channel on which a player of the local peer plays alone; nil: the shared channel 16.
  public func channelOfLocal(_ player: Identity) -> Channel? {
    player == identity ? channel : players[player]?.player.channel
  }

  /// The channel of a player at another peer.
  func channel(ofPlayer player: Identity, at peer: Identity) -> Channel? {
    if player == peer { return channel(of: peer) }
    guard let slot = roster.memberSlot(of: peer) else { return nil }
    return roster[slot].membership!.players.present.first { $0.player.identity == player }?.player.channel
  }

  /// The peer at which a player is; nil if there is no such player.
  public func peer(of player: Identity) -> Identity? {
    if players.slot(of: player) != nil { return identity }
    return roster.members.first { member in
      roster[member.slot].membership!.players.present.contains { $0.player.identity == player }
    }?.identity ?? (roster.containsMember(player) ? player : nil)
  }

  // MARK: Lists of the members

  /// Handles the digest of the list in a presence: requests the list if it has changed.
  mutating func heardPlayers(of slot: Roster.Slot, at now: Instant) {
    guard let digest = roster[slot].membership!.presence?.players.list, let peer = roster[slot].identity else { return }
    let known = roster[slot].membership!.players
    guard known.list?.digest != digest, listReceptions[peer]?.digest != digest, known.refused != digest,
      now >= known.lastBeginning + Self.listPause
    else { return }
    roster[slot].membership!.players.lastBeginning = now
    listReceptions[peer] = DocumentReception(.players, digest, from: peer, at: now)
    requestPlayers(of: peer, at: now)
  }

  /// Sends the next request for the list of a peer, if it is due. A peer that does not answer is asked again after its next presence.
  private mutating func requestPlayers(of peer: Identity, at now: Instant) {
    guard let reception = listReceptions[peer], now >= reception.nextRequest else { return }
    guard !reception.hasFailed, roster.containsMember(peer) else {
      listReceptions[peer] = nil
      return
    }
    if let request = listReceptions[peer]!.takeRequest(at: now) {
      emit(.send(.documentRequest(request), to: relay(of: peer) ?? peer, isNews: false))
    }
  }

  /// Adds a part to the list of a member. The list of a member that is heard through another one comes from the other one.
  mutating func receivedPlayers(_ part: DocumentPart, from sender: Identity, at now: Instant) {
    let limit = (PlayerList.maximumLength + DocumentPart.maximumLength - 1) / DocumentPart.maximumLength
    let found = listReceptions.first { peer, reception in
      reception.digest == part.digest && (relay(of: peer) ?? peer) == sender
    }
    guard let (peer, reception) = found, let slot = roster.memberSlot(of: peer), part.count <= limit else { return }
    guard let octets = listReceptions[peer]!.add(part, at: now) else { return requestPlayers(of: peer, at: now) }
    listReceptions[peer] = nil
    guard let document = Document(.players, octets), document.digest == reception.digest,
      let list = PlayerList(octets: octets, of: peer)
    else {
      rejected += 1
      roster[slot].membership!.players.refused = reception.digest
      return
    }
    roster.setPlayers(list, document, of: slot)
    channels.rosterChanged(at: now)
    settleMoves(at: now)
  }

  /// Handles the energies of the players of the peer with identity `sender`.
  mutating func received(_ energies: PlayerEnergies, from sender: Identity, at now: Instant) {
    guard let slot = roster.memberSlot(of: sender) else {
      rejected += 1
      return
    }
    heard(slot, sender, at: now)
    roster[slot].membership!.players.set(energies)
  }

  /// Finds the players that are listed by several peers, and removes those of the local peer that have moved to another one.
  mutating func settleMoves(at now: Instant) {
    signsDue = now + Self.signGathering
    // Only pages and devices move. Without them, which is the usual case in a large ensemble, no list is read.
    guard players.count > 1 || roster.listsGuests || roster.hasMovedPlayers else { return }
    /// Where a player is: the list with the greatest number of moves, or, if these are equal, that of the lowest peer.
    var places: [Identity: (moves: UInt32, peer: Identity)] = [:]
    func note(_ player: Player, at peer: Identity) {
      if let known = places[player.identity],
        known.moves > player.moves || (known.moves == player.moves && known.peer < peer)
      {
        return
      }
      places[player.identity] = (player.moves, peer)
    }
    for player in players.players { note(player, at: identity) }
    let members = roster.members
    for member in members {
      for (_, player) in roster[member.slot].membership!.players.list?.players.players ?? [] {
        // A list cannot contain the local player of another peer.
        if player.kind == .local || !(roster.containsMember(player.identity) || player.identity == identity) {
          note(player, at: member.identity)
        }
      }
    }
    for member in members {
      let listed = roster[member.slot].membership!.players.list?.players.players ?? []
      let moved = listed.filter { places[$0.player.identity]?.peer != member.identity }.map(\.slot)
      roster.setMovedSlots(Set(moved), of: member.slot)
    }
    for player in players.players where places[player.identity]?.peer != identity {
      guard players.leave(player.identity) else { continue }
      emit(.event(.playerMoved(player.identity)))
    }
  }

  // MARK: Sending

  /// When ``advancePlayers(to:)`` has something to do next.
  var playersDeadline: Instant {
    let next = energySchedule.nextDeadline(of: players, hasMembers: !roster.members.isEmpty)
    return listReceptions.values.reduce(min(next, signsDue)) { min($0, $1.nextRequest) }
  }

  /// Sends the energies if they have changed, and repeats the requests for lists that are due.
  mutating func advancePlayers(to now: Instant) {
    if !listReceptions.isEmpty { for peer in listReceptions.keys.sorted() { requestPlayers(of: peer, at: now) } }
    if now >= signsDue {
      signsDue = .distantFuture
      settleSigns()
    }
    if !roster.members.isEmpty, let energies = energySchedule.take(from: players, at: now) {
      emit(.send(.playerEnergies(energies), to: nil, isNews: false))
    }
  }
}

/// When the local peer sends the energies of its players: at most four times per second, when they have changed, and once more a second
/// later, because the message can be lost.
struct EnergySchedule: Sendable {
  private static var interval: Nanoseconds { .milliseconds(250) }
  private static var repetition: Nanoseconds { .seconds(1) }

  private var sent: PlayerEnergies?
  private var sentAt = Instant(nanoseconds: .min / 2)
  private var isRepeated = true

  private func energies(of players: LocalPlayers) -> PlayerEnergies? {
    players.count == 1 ? nil : PlayerEnergies(list: players.document.digest.high, energies: players.energies)
  }

  /// When ``take(from:at:)`` returns a message next, if the energies do not change until then.
  func nextDeadline(of players: LocalPlayers, hasMembers: Bool) -> Instant {
    guard hasMembers, let energies = energies(of: players) else { return .distantFuture }
    if energies != sent { return sentAt + Self.interval }
    return isRepeated ? .distantFuture : sentAt + Self.repetition
  }

  /// The message that is due now.
  mutating func take(from players: LocalPlayers, at now: Instant) -> PlayerEnergies? {
    guard now >= nextDeadline(of: players, hasMembers: true), let energies = energies(of: players) else { return nil }
    (isRepeated, sent, sentAt) = (energies == sent, energies, now)
    return energies
  }
}

/// What a display shows about a player.
public struct PlayerStatus: Hashable, Sendable {
  public var player: Player
  /// The peer of the player.
  public var peer: Identity
  /// The channel on which the player is known to play; nil: the shared channel 16.
  public var channel: Channel?
  /// 0...127; nil if it is not known.
  public var energy: UInt8?
  /// Whether the local peer, as the master, has muted the player, or the player is at the local peer and is muted.
  public var isMuted: Bool
}
