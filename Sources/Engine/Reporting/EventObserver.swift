import Ensemble
import MusicalTime

/// Passes events to the observer of a peer: the caller of ``Peer/run(status:watch:snapshot:)``. The roster (the remote peers in session)
/// and the total activity are compared with the values that were reported last, ten times a second.
struct EventObserver {
  private static var interval: Nanoseconds { .milliseconds(100) }

  private let observe: (PeerEvent) -> Void
  private var reportedRoster: [RosterEntry] = []
  private var reportedTotal: UInt8?
  private var nextComparison = Instant(nanoseconds: .min)

  /// - Parameter observe: is called with each event.
  init(_ observe: @escaping (PeerEvent) -> Void) { self.observe = observe }

  /// Reports `event`, which is about the remote peer `peer`, if any.
  func report(_ event: Event, about peer: PeerReference? = nil, at now: Instant) {
    observe(PeerEvent(kind: event, peer: peer, at: now))
  }

  /// Whether ``update(roster:total:at:)`` is due.
  func isDue(at now: Instant) -> Bool { now >= nextComparison }

  /// Reports the roster and the total activity if they have changed.
  mutating func update(roster: [RosterEntry], total: UInt8, at now: Instant) {
    nextComparison = now + Self.interval
    if roster != reportedRoster {
      reportedRoster = roster
      report(.roster(roster), at: now)
    }
    if total != reportedTotal {
      reportedTotal = total
      report(.total(total), at: now)
    }
  }
}
