import MusicalTime

/// The data about activity that survives a change of role: the level of the local player, the rule by which the master
/// combines the levels of all players into the total activity, and the newest total.
///
/// ``TotalSchedule`` and ``ReceivedTotals`` contain the data of one role only. ``RemotePeer`` contains the levels of the
/// remote peers.
struct Activity: Sendable {
  /// The activity of the local player.
  var level: ActivityLevel
  /// How the master combines the levels.
  var rule = TotalActivityRule.sum
  /// The newest total that the master reported, or that the local peer decided as the master; nil while the local peer is idle,
  /// and until the first total.
  ///
  /// The total is kept when one master replaces another, because the layers must stay as they are until the new master
  /// reports a total.
  var lastTotal: UInt8?

  init(_ level: UInt8) { self.level = ActivityLevel(level) }

  /// When the level changes next.
  var nextDeadline: Instant { level.nextDeadline }
}
