import MusicalTime

/// The data about activity that survives a change of role: the level of the local player, and the rule by which the master
/// combines the levels of all players into the total activity.
///
/// ``TotalSchedule`` contains the data of the master only. ``RemotePeer`` contains the levels of the remote peers.
struct Activity: Sendable {
  /// The activity of the local player.
  var level: ActivityLevel
  /// How the master combines the levels.
  var rule = TotalActivityRule.sum

  init(_ level: UInt8) { self.level = ActivityLevel(level) }

  /// When the level changes next.
  var nextDeadline: Instant { level.nextDeadline }
}
