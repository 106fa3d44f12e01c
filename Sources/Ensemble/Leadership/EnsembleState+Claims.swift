import MusicalTime
import PeerProtocol

// The claims that count, and the terms of new claims.
//
// In an open group, every device in session may claim the rhythm, and a hostile device may claim it with any term. The rules below
// need no limit for plausible terms, because a claim protects its master only while the master is heard. After a hostile master has
// left, the followers continue under a claim of one of them, and every new peer follows this claim, whatever its term is.
extension EnsembleState {
  /// Whether a claim counts: its master sends the claim itself, and was heard within ``silence``.
  func counts(_ claim: Claim, at now: Instant) -> Bool {
    switch leadership {
    case .leading where claim == timelineMessage?.claim: return true
    case .following(let following) where claim == timelineMessage?.claim:
      return following.masterStatus != .hasResigned && now - following.masterHeard < Self.silence
    default:
      guard let slot = roster.memberSlot(of: claim.identity), roster[slot].isPresent(at: now) else { return false }
      return roster[slot].membership?.presence?.claim == claim
    }
  }

  /// Whether the claim of the present rhythm outranks another claim: it is higher, and it counts.
  ///
  /// One claim yields to a lower one although it counts: the local peer has the highest possible term, and has offered the rhythm to the
  /// other peer, which accepts the offer with a lower term because no higher one is left.
  func outranks(_ present: Claim, _ other: Claim, at now: Instant) -> Bool {
    guard other < present, counts(present, at: now) else { return false }
    return present.term < Claim.terms.upperBound || !hasOffered(to: other.identity)
  }

  /// Returns a new claim of the local peer. Its term is 1 plus the highest of ``ownTerm``, the terms of the claims that count and that
  /// the rhythm gate admits, and the term of the continued rhythm. If that term is the highest possible one, the new term is a random
  /// number below 2^32. All peers then accept the lower term as soon as the highest claim no longer counts.
  ///
  /// After a loss of power, ``ownTerm`` may be lower than the term of the last claim of the local peer. Peers that know this claim report
  /// it in their presences, so these are examined too.
  ///
  /// - Parameter continued: the claim of the rhythm that the local peer continues; nil for a new rhythm.
  mutating func newClaim(continuing continued: Claim? = nil, at now: Instant) -> Claim {
    var highest = max(ownTerm, continued?.term ?? 0)
    for member in roster.members {
      guard let reported = roster[member.slot].membership?.presence?.claim,
        reported.identity == identity
          || (counts(reported, at: now) && admits(reported))
      else { continue }
      highest = max(highest, reported.term)
    }
    ownTerm = highest < Claim.terms.upperBound ? highest + 1 : randomTerm(at: now)
    return Claim(term: ownTerm, identity: identity, isKept: keepsOnly)
  }

  /// A term of 1..<2^32 that depends on the identity and the time. It differs from all earlier terms of the local peer except by a chance
  /// of about one in 2^32.
  private func randomTerm(at now: Instant) -> UInt64 { max(1, now.mixed(with: identity.bits)) }

  /// Whether the local peer is the master and has offered the rhythm to `peer` under its present claim.
  func hasOffered(to peer: Identity) -> Bool {
    leader?.offer.map { $0.offer.claim == claim && $0.receivers.contains(peer) } ?? false
  }
}
