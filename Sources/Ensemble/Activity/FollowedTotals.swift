import MusicalTime
import PeerProtocol

/// The exchange of activity values of a follower with its master.
struct FollowedTotals: Sendable {
  /// A total as the master reported it.
  struct Report: Sendable {
    var value: UInt8
    /// When the total applies, in the master's clock.
    var instant: Instant
    var isRecovered: Bool
  }

  /// The level that was last sent to the master, and under which claim.
  var sentLevel: (level: UInt8, claim: Claim)?
  /// The last two totals that arrived before the rhythm could be played. They stay without an array, so that this type and
  /// ``Follower`` are copied without reference counting.
  var early: (older: Report?, newer: Report?)
  /// Whether the local peer chose the beat of the pending change, not the master.
  var isEstimated = false
  /// The run for which the intensity was last checked; 0 before the first.
  var run: UInt32 = 0
}
