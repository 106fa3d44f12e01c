public import MusicalTime

// Who goes on with the rhythm when its master does not.
extension Ensemble {
  /// Something has come from the peer with this identity.
  public mutating func heard(_ peer: Identity, at now: Instant) { acquaintances[peer]?.heard = now }

  /// Offers the rhythm to the peer with this identity, or to all: whoever takes it first is the master then.
  ///
  /// - Throws: ``Refusal`` unless this peer is the master.
  public mutating func offer(to peer: Identity?, at now: Instant) throws(Refusal) {}

  /// Takes the rhythm that has been offered: claims it anew and goes on with it in phase.
  ///
  /// - Throws: ``Refusal`` when nothing has been offered.
  public mutating func take(at now: Instant) throws(Refusal) {}

  /// This peer is about to leave. As master it hands the rhythm to the next in line, where there is one and ``masterLoss``
  /// says so.
  ///
  /// - Returns: whether it does; then it is to stay until ``role`` is master no more, or for a second.
  public mutating func part(at now: Instant) -> Bool { false }
}
