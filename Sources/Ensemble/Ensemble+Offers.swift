public import MusicalTime
public import PeerProtocol

// How the rhythm goes from one to another while both are there.
extension Ensemble {
  /// How long an offer is good.
  public static var offerTime: Nanoseconds { .seconds(30) }

  /// An offer of this peer's: to whom it goes, and when it is told again.
  struct OfferMade: Sendable {
    var offer: Offer
    var receivers: [Identity]
    var repeats: [Instant]
  }

  /// An offer to this peer, of the rhythm that plays.
  struct OfferHad: Sendable {
    var claim: Claim
    var end: Instant
  }

  /// Offers the rhythm to the peer with this identity, or to all: whoever takes it first is the master then. Told again and
  /// again for a second, as messages get lost.
  ///
  /// - Throws: ``CommandError`` unless this peer is the master, the other is in session, and the rhythm gate is open to it.
  public mutating func offer(to peer: Identity?, at now: Instant) throws(CommandError) {
    try requireMaster()
    if let peer {
      guard company.contains(peer) else { throw .isAbsent(peer) }
      guard admits(.rhythm, from: peer) else { throw .gateIsClosed(peer) }
    }
    let receivers = peer.map { [$0] } ?? company.members.filter { admits(.rhythm, from: $0) }
    make(Offer(claim: timelineMessage!.claim, isParting: false), to: receivers, at: now)
  }

  /// Takes the rhythm that has been offered: claims it anew and goes on with it in phase.
  ///
  /// - Throws: ``CommandError`` when nothing has been offered in the last 30 s under the claim that plays, when the master's clock
  ///   is not known yet, or when another leads the session.
  public mutating func take(at now: Instant) throws(CommandError) {
    if role == .master { throw .alreadyPlaying }
    guard case .follower(let master) = role, planned, let had = offerHad, had.claim == claim, now < had.end else {
      throw .nothingOffered
    }
    if let leader { throw .ledBy(leader) }
    takeOver(from: master, at: now)
  }

  /// This peer is about to leave. As master it hands the rhythm to the next in line, where there is one and ``masterLoss``
  /// says so; otherwise it stops it.
  ///
  /// - Returns: whether it hands it over; then it is to stay until ``role`` is master no more, or for a second.
  public mutating func part(at now: Instant) -> Bool {
    guard role == .master, let claim else { return false }
    if masterLoss == .continue, let heir = line(at: now).first {
      make(Offer(claim: claim, isParting: true), to: [heir], at: now)
      return true
    }
    try? stop(now: now)
    return false
  }

  /// An offer from the peer with identity `sender`, which may offer its own rhythm alone. Under a claim that is not the one
  /// that plays it means nothing.
  public mutating func received(_ offer: Offer, from sender: Identity, at now: Instant) {
    guard offer.claim.identity == sender, sender != identity else {
      rejected += 1
      return
    }
    heard(sender, at: now)
    guard role == .follower(of: sender), offer.claim == claim else { return }
    if offer.isParting {
      if takesOver, planned { takeOver(from: sender, at: now) }
      return
    }
    let isNew = offerHad.map { $0.claim != offer.claim || now >= $0.end } ?? true
    offerHad = OfferHad(claim: offer.claim, end: now + Self.offerTime)
    if isNew { emit(.offered(by: sender)) }
  }

  private mutating func make(_ offer: Offer, to receivers: [Identity], at now: Instant) {
    offerMade = OfferMade(offer: offer, receivers: receivers, repeats: tellings(after: now))
    for receiver in receivers { emit(.offer(offer, to: receiver, isNews: true)) }
  }

  /// Tells the own offer again, while it is good.
  mutating func repeatOffer(at now: Instant) {
    guard let made = offerMade, let due = made.repeats.first, now >= due else { return }
    offerMade?.repeats.removeFirst()
    for receiver in made.receivers where company.contains(receiver) {
      emit(.offer(made.offer, to: receiver, isNews: false))
    }
  }
}
