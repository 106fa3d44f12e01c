import MusicalTime
import PeerProtocol

/// Why the claim of a remote peer outranks that of the local peer, which was the master.
public enum OutrankingCause: Hashable, Sendable {
  /// Both peers had just started the rhythm.
  case simultaneousStart
  /// Both peers had just taken over the rhythm of a master that was lost.
  case simultaneousTakeover
  /// The two peers did not hear each other for a while: the network was interrupted, or one of the machines or programs was stopped. The
  /// remote peer has led the rhythm meanwhile.
  case interruption
  /// The remote peer has claimed the rhythm although it heard that the local peer led it.
  case claim
}

extension EnsembleState {
  /// Returns why the claim of `peer` outranks the claim of the local peer. Two starts or takeovers count as simultaneous if the local
  /// peer learns of the other one within a second. After an interruption, the claims are compared within ``coasting``.
  func cause(of peer: Identity, at now: Instant) -> OutrankingCause {
    guard let leader else { return .claim }
    let heardSince = roster.slot(of: peer).flatMap { roster[$0].membership?.heardSince } ?? now
    if heardSince > leader.since, now - heardSince < Self.coasting { return .interruption }
    guard now - leader.since < .seconds(1) else { return .claim }
    return leader.hasTakenOver ? .simultaneousTakeover : .simultaneousStart
  }
}
