public import MIDI
public import MusicalTime
public import PeerProtocol

// What peers say of themselves.
extension Ensemble {
  /// The MIDI channel this peer claims: one of 2...9 and 11...16; nil while it listens for what the others have, in its
  /// first second, and when there is none left.
  public var channel: Channel? { channels.own }

  /// The channel that the peer with this identity claims, if it keeps it.
  public func channel(of peer: Identity) -> Channel? {
    guard let channel = acquaintances[peer]?.presence?.channel, owner(of: channel) == peer else { return nil }
    return channel
  }

  /// Whose channel that is: the peer's that keeps it if several claim it. Nil: nobody else's.
  public func owner(of channel: Channel) -> Identity? { channels.holder(of: channel) }

  /// Whether a peer may do that to this one.
  ///
  /// - Parameters:
  ///   - peer: nil where it is no Tutti peer.
  ///   - name: what it calls itself; only of those that are no Tutti peers is it asked here.
  public func admits(_ gate: Gate, from peer: Identity?, named name: String? = nil) -> Bool {
    guard let peer else { return gates.opening(for: nil, named: name.flatMap { company.bears($0) ? nil : $0 })[gate] }
    return opening(for: peer)[gate]
  }

  /// What the peer with identity `sender` says of itself; it may speak for itself alone.
  public mutating func received(_ presence: Presence, from sender: Identity, at now: Instant) {
    guard presence.identity == sender, sender != identity, company.contains(sender) else {
      rejected += 1
      return
    }
    let before = acquaintances[sender, default: Acquaintance()].hear(presence)
    if role == .master, let claim {
      if presence.claim == claim {
        activities.total.told(presence.activity, by: sender)
      } else if before == claim {
        activities.total.takesNoPart(sender)
      }
    }
    if channels.told(presence.channel, by: sender, at: now) { doubt(sender, .isRestless) }
    inform(sender, of: presence.claim, at: now)
    heardClaim(presence.claim, from: sender, at: now)
    if let claim = presence.claim { seek(claim) }
  }

  /// A rhythm plays whose master is not in session with this peer, as where there are many: it is to be connected to.
  private mutating func seek(_ claim: Claim) {
    guard claim.identity != identity, !company.contains(claim.identity), claim != sought, isCredible(claim.term),
      admits(.rhythm, from: claim.identity)
    else { return }
    sought = claim
    emit(.seek(claim.identity))
  }

  /// The peer is in session.
  mutating func met(_ peer: Identity, named name: String?, at now: Instant) {
    company.add(peer, named: name)
    // What it told before counts no more: it may be another run of it, or know of no rhythm now.
    activities.total.forget(peer)
    activities.informed[peer] = nil
    if role == .follower(of: peer) { activities.reported = nil }
    present(to: peer, isNews: true, at: now)
  }

  /// The peer is in session no more.
  mutating func parted(from peer: Identity, at now: Instant) {
    company.remove(peer)
    activities.total.forget(peer)
    channels.forget(peer, at: now)
  }

  /// Tells the peer what this one says of itself.
  ///
  /// - Parameter isNews: whether it may not know that yet.
  /// - Returns: false when it has just been told.
  @discardableResult
  mutating func present(to peer: Identity, isNews: Bool, at now: Instant) -> Bool {
    guard company.mayTell(peer, at: now) else { return false }
    let said = saidNow
    let presence = Presence(
      identity: identity, claim: said.claim, channel: said.channel, gates: opening(for: peer),
      takesOver: said.takesOver,
      activity: activity)
    emit(.present(presence, to: peer, isNews: isNews))
    return true
  }

  /// When ``advancePresence(to:)`` has something to do next.
  var presenceDeadline: Instant {
    guard !company.members.isEmpty else { return channels.nextDeadline }
    return min(channels.nextDeadline, company.saidAt + (company.said == saidNow ? company.interval : Company.pause))
  }

  /// Presents this peer to everybody: some times a second, and at once when something has changed.
  mutating func advancePresence(to now: Instant) {
    if now >= channels.nextDeadline { settleChannel(at: now) }
    guard !company.members.isEmpty, now >= presenceDeadline else { return }
    // Patience comes to an end without anything new.
    if channel == nil, channels.nextDeadline == .distantFuture { settleChannel(at: now) }
    company.saidAt = now
    var haveAllHeard = true
    let isNews = company.said != saidNow
    for peer in company.members where !present(to: peer, isNews: isNews, at: now) { haveAllHeard = false }
    // Who was told something else a moment ago is told this in the next round, soon.
    company.said = haveAllHeard ? saidNow : nil
  }

  private func opening(for peer: Identity) -> GateSet {
    // Asked for every packet; a name is only looked up where somebody is excepted.
    gates.opening(for: peer, named: gates.exceptions.isEmpty ? nil : company.name(of: peer))
  }

  private var saidNow: Company.Said {
    Company.Said(
      claim: role == .idle ? nil : claim, channel: channel, gates: gates, takesOver: takesOver)
  }

  private mutating func settleChannel(at now: Instant) {
    if channels.settle(for: identity, at: now) { emit(.channel(channel)) }
  }
}
