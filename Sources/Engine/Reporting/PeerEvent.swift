public import Ensemble
public import MusicalTime

/// An event that the local peer reports to an observer.
public struct PeerEvent: Sendable {
  public let kind: Event
  /// The remote peer of the event, if it has one.
  public let peer: PeerReference?
  /// The instant of the event, in CLOCK_MONOTONIC.
  public let at: Instant
}
