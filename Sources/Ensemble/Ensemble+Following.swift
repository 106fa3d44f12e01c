import ClockSync
public import MusicalTime

// What other peers say and do.
extension Ensemble {
  /// The time between two corrections.
  static var steering: Nanoseconds { .milliseconds(50) }
  /// So many stamps that cannot be are worth a word.
  static var liesTold: Int { 8 }

  /// The peer with this identity is there: it hears the rhythm's state if there is one to tell. That it is there does
  /// not make it the master again: one that was started anew knows nothing of the rhythm. Its statement does.
  ///
  /// - Parameter name: what it calls itself.
  public mutating func joined(_ peer: Identity, named name: String? = nil, at now: Instant) {
    acquaintances[peer, default: Acquaintance()].heard = now
    acquaintances[peer]?.name = name
    if role == .follower(of: peer) { standing = .isUnknown }
    if role == .master, let statement { emit(.tell(statement, to: peer, isNews: true)) }
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
    let misgivings = acquaintances[peer, default: Acquaintance()].learn(transit, at: now)
    guard role == .follower(of: peer) else { return }
    for misgiving in misgivings { doubt(peer, misgiving) }
    if !planned || now >= steered + Self.steering { follow(at: now) }
  }

  /// A System Exclusive message from the peer with identity `sender`, its data octets without F0 and F7. What is not Tutti's
  /// is nobody's business here.
  public mutating func received(systemExclusive octets: [UInt8], from sender: Identity, at now: Instant) {
    if let statement = Statement(systemExclusive: octets) {
      received(statement, from: sender, at: now)
    } else if let offer = Offer(systemExclusive: octets) {
      received(offer, from: sender, at: now)
    } else if let presence = Presence(systemExclusive: octets) {
      received(presence, from: sender, at: now)
    } else if MessageKind.isOurs(octets) {
      rejected += 1
      doubt(sender, .isUnreadable)
    }
  }

  mutating func doubt(_ peer: Identity, _ misgiving: Misgiving) {
    if acquaintances[peer, default: Acquaintance()].told.insert(misgiving).inserted { emit(.doubt(peer, misgiving)) }
  }

  /// A statement from the peer with identity `sender`, which may speak for itself alone.
  public mutating func received(_ statement: Statement, from sender: Identity, at now: Instant) {
    guard statement.claim.identity == sender, sender != identity, statement.start <= statement.end,
      isCredible(statement.claim.term)
    else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    // Its terms are not seen either, so that a start of this peer's outranks nothing that others follow.
    guard admits(.rhythm, from: sender) else { return }
    highestTerm = max(highestTerm, statement.claim.term)
    if let known = self.statement {
      if statement.claim == known.claim {
        if role != .idle { confirmMaster(at: now) }
        // Whoever has given the master up comes back by a statement it knows already, but never by an older one: that knows
        // nothing of the end.
        let isNews = statement.revision > known.revision
        guard isNews || (role == .idle && statement.revision == known.revision) else { return }
      } else if role != .idle, statement.claim < known.claim {
        // Whoever makes a lesser claim has not heard of this one.
        if role == .master { correct(sender, at: now) }
        return
      }
    }
    // What has ended, or may have for all that is known of its master's clock, outranks nothing that plays.
    if role != .idle, statement.claim != claim, isOver(statement, at: now) != false { return }
    if statement.claim != claim { leave(for: sender) }
    self.statement = statement
    if role == .idle, isOver(statement, at: now) == true { return }
    confirmMaster(at: now)
    take(role: .follower(of: sender))
    follow(at: now)
  }

  /// Whether a rhythm has ended; nil when that cannot be told, as its master's clock is not known.
  private func isOver(_ statement: Statement, at now: Instant) -> Bool? {
    if statement.end == Tick(.max) { return false }
    guard let clock = acquaintances[statement.claim.identity]?.clock.estimate(at: now) else { return nil }
    return statement.deadline(statement.end) - clock.offset <= now
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
