import ClockSync
public import MusicalTime
public import PeerProtocol

// What other peers say and do.
extension Ensemble {
  /// The time between two corrections.
  static var steering: Nanoseconds { .milliseconds(50) }
  /// So many stamps that cannot be are worth a word.
  static var liesTold: Int { 8 }

  /// The peer with this identity is there: it hears the rhythm's state if there is one to tell. That it is there does
  /// not make it the master again: one that was started anew knows nothing of the rhythm. Its timeline message does.
  ///
  /// - Parameter name: what it calls itself.
  public mutating func joined(_ peer: Identity, named name: String? = nil, at now: Instant) {
    acquaintances[peer, default: Acquaintance()].heard = now
    acquaintances[peer]?.name = name
    if role == .follower(of: peer) { standing = .isUnknown }
    if role == .master, let timelineMessage { emit(.tell(timelineMessage, to: peer, isNews: true)) }
    // After the rhythm's state, of which the total is one of the ticks.
    met(peer, named: name, at: now)
  }

  /// The session with the peer of this identity has ended.
  ///
  /// - Parameter isSaid: whether it said so: then nobody has to wait for its silence. One that was killed and started anew
  ///   may be about to say that it goes on.
  public mutating func left(_ peer: Identity, isSaid: Bool = true, at now: Instant) {
    parted(from: peer, at: now)
    guard role == .follower(of: peer) else {
      acquaintances[peer] = nil
      return
    }
    standing = .isUnknown
    if isSaid { masterHeard = min(masterHeard, now - Self.silence) }
    successionDue = masterHeard
    acquaintances[peer]?.heard = nil
    acquaintances[peer]?.presence = nil
    // Its clock is remembered, as it may come back; but that of one at a time.
    if let departed, departed != peer { acquaintances[departed] = nil }
    departed = peer
  }

  /// A packet to or from another peer that told when it left.
  public mutating func measured(_ transit: ClockTransit, with peer: Identity, at now: Instant) {
    if departed == peer { departed = nil }
    heard(peer, at: now)
    let warnings = acquaintances[peer, default: Acquaintance()].learn(transit, at: now)
    guard role == .follower(of: peer) else { return }
    for warning in warnings { doubt(peer, warning) }
    if !planned || now >= steered + Self.steering { follow(at: now) }
  }

  /// A System Exclusive message from the peer with identity `sender`, its data octets without F0 and F7. What is not Tutti's
  /// is nobody's business here.
  public mutating func received(systemExclusive octets: [UInt8], from sender: Identity, at now: Instant) {
    if let timelineMessage = TimelineMessage(systemExclusive: octets) {
      received(timelineMessage, from: sender, at: now)
    } else if let offer = Offer(systemExclusive: octets) {
      received(offer, from: sender, at: now)
    } else if let presence = Presence(systemExclusive: octets) {
      received(presence, from: sender, at: now)
    } else if MessageKind.isOurs(octets) {
      rejected += 1
      doubt(sender, .isUnreadable)
    }
  }

  mutating func doubt(_ peer: Identity, _ warning: PeerWarning) {
    if acquaintances[peer, default: Acquaintance()].told.insert(warning).inserted { emit(.doubt(peer, warning)) }
  }

  /// A timeline message from the peer with identity `sender`, which may speak for itself alone.
  public mutating func received(_ timelineMessage: TimelineMessage, from sender: Identity, at now: Instant) {
    guard timelineMessage.claim.identity == sender, sender != identity, timelineMessage.start <= timelineMessage.end,
      isCredible(timelineMessage.claim.term)
    else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    // Its terms are not seen either, so that a start of this peer's outranks nothing that others follow.
    guard admits(.rhythm, from: sender) else { return }
    highestTerm = max(highestTerm, timelineMessage.claim.term)
    if let known = self.timelineMessage {
      if timelineMessage.claim == known.claim {
        if role != .idle { confirmMaster(at: now) }
        // Whoever has given the master up comes back by a timeline message it knows already, but never by an older one: that knows
        // nothing of the end.
        let isNews = timelineMessage.revision > known.revision
        guard isNews || (role == .idle && timelineMessage.revision == known.revision) else { return }
      } else if role != .idle, timelineMessage.claim < known.claim {
        // Whoever makes a lesser claim has not heard of this one.
        if role == .master { correct(sender, at: now) }
        return
      }
    }
    // What has ended, or may have for all that is known of its master's clock, outranks nothing that plays.
    if role != .idle, timelineMessage.claim != claim, isOver(timelineMessage, at: now) != false { return }
    if timelineMessage.claim != claim { leave(for: sender) }
    self.timelineMessage = timelineMessage
    if role == .idle, isOver(timelineMessage, at: now) == true { return }
    confirmMaster(at: now)
    take(role: .follower(of: sender))
    follow(at: now)
  }

  /// Whether a rhythm has ended; nil when that cannot be told, as its master's clock is not known.
  private func isOver(_ timelineMessage: TimelineMessage, at now: Instant) -> Bool? {
    if timelineMessage.end == Tick(.max) { return false }
    guard let clock = acquaintances[timelineMessage.claim.identity]?.clock.estimate(at: now) else { return nil }
    return timelineMessage.deadline(timelineMessage.end) - clock.offset <= now
  }

  /// Gives up the claim that was followed, or made, for one of the peer with identity `sender`.
  private mutating func leave(for sender: Identity) {
    if role == .master {
      let isOffered = offerMade.map { $0.offer.claim == claim && $0.receivers.contains(sender) } ?? false
      emit(isOffered ? .handedOver(to: sender) : .outranked(by: sender))
    }
    (planned, wanted, repeats, joinDue, offerMade, offerHad) = (false, nil, [], nil, nil, nil)
    successionDue = Instant(nanoseconds: .min)
    // They count in another clock.
    activities.early = []
  }

  /// Terms go up by one a start. One a million starts ahead is a lie, and would leave nobody a term above it.
  func isCredible(_ term: UInt32) -> Bool { term < highestTerm || term - highestTerm <= 1 << 20 }
}
