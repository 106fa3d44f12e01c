import MusicalTime
import PeerProtocol

/// The activity data of a follower: the level that was sent to the master, the totals that wait until the rhythm can be
/// played, and whether the pending change of the intensity is estimated.
struct ReceivedTotals: Sendable {
  /// A total as the master reported it.
  struct Report: Sendable {
    /// The total, 0...127.
    var value: UInt8
    /// When the total applies, in the master's clock.
    var instant: Instant
    /// Whether the report comes from a recovery journal, so that ``instant`` is not known.
    var isRecovered: Bool
  }

  /// The level that was last sent to the master, and the claim under which it was sent; nil if no level was sent.
  var sentLevel: (level: UInt8, claim: Claim)?
  /// The last two totals that arrived before the rhythm could be played. The master can report two: the present total and a
  /// pending one. The property is not an array, because each copy of ``Follower`` would then update a reference count.
  var early: (older: Report?, newer: Report?)
  /// Whether the pending change in `PlaybackSchedule.intensity` is estimated. Either the local peer has chosen its tick, because
  /// the master has reported no usable instant, or the change comes from an earlier run. The next total with an instant replaces
  /// an estimated change.
  var isEstimated = false
  /// The run of the schedule when the totals were last applied; 0 before the first time. If the schedule has another run, a
  /// new run has begun, and the pending change counts as estimated.
  var run: UInt32 = 0
}
