import Ensemble
import MusicalTime
import Playback

/// Passes snapshots of a peer to the observer of ``Peer/run(status:watch:snapshot:)``: at once when the schedule, the role, the
/// patch or the number of sessions has changed, otherwise ten times a second.
struct SnapshotObserver {
  private static var interval: Nanoseconds { .milliseconds(100) }

  private let observe: (PeerSnapshot) -> Void
  private var schedule = PlaybackSchedule.silence
  private var role = Role.idle
  private var patchNumber: UInt32 = 0
  private var sessions = 0
  /// When the next snapshot is due if nothing changes.
  private(set) var nextSnapshot = Instant(nanoseconds: .min)

  /// - Parameter observe: is called with each snapshot by the control thread, which it must not block.
  init(_ observe: @escaping (PeerSnapshot) -> Void) { self.observe = observe }

  /// Whether a snapshot is due.
  func isDue(schedule: PlaybackSchedule, role: Role, patchNumber: UInt32, sessions: Int, at now: Instant) -> Bool {
    now >= nextSnapshot || schedule != self.schedule || role != self.role || patchNumber != self.patchNumber
      || sessions != self.sessions
  }

  /// Passes a snapshot to the observer.
  mutating func report(_ snapshot: PeerSnapshot, sessions: Int) {
    (schedule, role, patchNumber) = (snapshot.schedule, snapshot.status.role, snapshot.patchNumber)
    self.sessions = sessions
    nextSnapshot = snapshot.at + Self.interval
    observe(snapshot)
  }
}
