import MusicalTime

extension Ensemble {
  /// A peer takes part in the rhythm of this claim, nil: in none.
  mutating func heardClaim(_ claim: Claim?, from peer: Identity, at now: Instant) {}
}
