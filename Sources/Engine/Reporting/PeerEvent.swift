public import Ensemble
public import MusicalTime

/// An event that the local peer reports to the observer of ``Peer/run(watch:snapshot:)``.
public struct PeerEvent: Sendable {
  public let kind: Event
  /// The remote peer that the event concerns; nil if it concerns none.
  public let peer: PeerReference?
  /// The instant of the event, in CLOCK_MONOTONIC.
  public let at: Instant
}
