import MusicalTime
import PeerProtocol

/// What a follower has sent to its master about activity, and the totals that it has received.
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

  /// The level that was last sent to the master, and the claim under which it was sent; nil if none was.
  var sentLevel: (level: UInt8, claim: Claim)?
  /// The last two totals that arrived before the rhythm could be played. They stay without an array, so that this type and
  /// ``Follower`` are copied without reference counting.
  var early: (older: Report?, newer: Report?)
  /// Whether the local peer, and not the master, chose the beat of the pending change in the schedule.
  var isEstimated = false
  /// The run for which the intensity was last checked; 0 before the first.
  var run: UInt32 = 0
}
