import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Text
import Transports

// The list of remote peers, and the commands that address a peer by name.
extension Peer {
  /// All peers in session, and those that are heard through others, sorted by channel.
  var rosterEntries: [RosterEntry] {
    var entries = core.roster.mapSessions { peer in
      RosterEntry(
        peer: peer.reference, channel: peer.identity.flatMap { ensemble.channel(of: $0)?.number },
        weights: peer.identity.map { ensemble.weights(of: $0) })
    }
    for (peer, relay) in ensemble.relayedMembers {
      entries.append(
        RosterEntry(
          peer: core.reference(to: peer), channel: ensemble.channel(of: peer)?.number,
          weights: ensemble.weights(of: peer),
          relay: relay))
    }
    // Peers without a channel come last.
    return entries.sorted { ($0.channel ?? 17) < ($1.channel ?? 17) }
  }

  /// Returns the Tutti peer in session with this name or identity. If there is no such peer, or if several peers have the name, informs the
  /// player and returns nil. These peers are listed with a part of their identities, and have these longer names.
  func peer(called name: String) -> Identity? {
    let roster = core.roster
    if let identity = Identity(name), roster.session(of: identity) != nil { return identity }
    let name = name.cleanName() ?? name
    let named = roster.identities.filter { roster[$0]?.reference.name == name }
    if named.isEmpty, case let sharing = roster.members(named: name).filter({ roster.session(of: $0) != nil }),
      !sharing.isEmpty
    {
      if sharing.count == 1 { return sharing[0] }
      let names = sharing.map { core.name(of: $0) }.joined(separator: ", ")
      log.notice("peer \(name): several peers have this name; give one of \(names)")
      return nil
    }
    if let (_, relay) = ensemble.relayedMembers.first(where: { core.name(of: $0.peer) == name }) {
      let other = core.name(of: relay)
      log.notice(
        "peer \(name): not possible, because you reach \(name) only through \(other); connect the two machines directly"
      )
      return nil
    }
    if named.isEmpty {
      let remedy = "give a Tutti peer that the command `peers` lists"
      log.notice("peer \(name): no connected Tutti peer has this name or identity; \(remedy)")
    }
    return named.first
  }

  /// Informs the player if a rule of a command names a peer that is not connected. The rule is kept, because the peer can come later, but
  /// the name can also be wrong.
  func reportAbsence(of peer: String, in command: String) {
    let name = peer.cleanName() ?? peer
    let isLocal = name == ensemble.displayedName || name == configuration.name || Identity(name) == identity
    let isHere = rosterEntries.contains { entry in
      entry.peer.name == name || entry.peer.identity.map { Identity(name) == $0 } ?? false
    }
    guard !isLocal, !isHere, core.roster.members(named: name).isEmpty else { return }
    let effect = "the rule applies when it connects; the command `peers` lists the names"
    log.notice("\(command) \(name): no connected peer has this name or identity; \(effect)")
  }

  /// Logs the peers in session.
  func showRoster() {
    showPlayers()
    let entries = rosterEntries
    guard !entries.isEmpty else { return log.info("no other peer is connected") }
    for entry in entries {
      let name = entry.peer.label
      guard let weights = entry.weights else {
        log.info("\(name): RTP-MIDI device without Tutti")
        continue
      }
      let channel = entry.channel.map { "channel \($0)" } ?? "no channel"
      // `?` means that the remote peer has not reported its gates yet.
      let outward = weights.outward.map { "\($0)" } ?? "?"
      if let relay = entry.relay {
        log.info("\(name): \(channel); you reach it only through \(core.name(of: relay))")
        continue
      }
      log.info(
        "\(name): \(channel); influence (weight) of \(name) on you \(weights.inward), of you on \(name) \(outward)")
    }
  }

  /// Logs the pages and devices of all peers.
  private func showPlayers() {
    for status in ensemble.playerStatuses() where status.player.kind != .local {
      let peer = status.peer == identity ? "this peer" : core.name(of: status.peer)
      let channel = status.channel.map { "channel \($0.number)" } ?? "the shared channel 16"
      let energy = status.energy.map { ", energy \($0)" } ?? ""
      log.info(
        "\(status.player.name): \(status.player.kind) of \(peer), \(channel)\(energy)\(status.isMuted ? ", muted" : "")"
      )
    }
  }

  /// The receiver of the player's notes, for messages.
  var recipient: String { core.recipient.map { core.name(of: $0) } ?? "all peers" }

  /// Sends the player's notes to the next peer in session; after the last one, to all peers.
  func playToNext() {
    let others = core.roster.identities
    // If the notes go to all peers, or to a peer that has left, the first peer is next.
    let next = core.recipient.flatMap { others.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    core.recipient = next < others.count ? others[next] : nil
    log.info("notes: are now sent to \(recipient)")
  }
}
