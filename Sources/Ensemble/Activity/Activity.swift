import MusicalTime

/// The data about activity that survives a change of role: the level of the local player, and the rule by which the master
/// combines the levels of all players into the total activity.
///
/// ``TotalSchedule`` contains the data of the master only. ``RemotePeer`` contains the levels of the remote peers.
struct Activity: Sendable {
  /// The activity of the local player, from keys, controllers and notes.
  var level: ActivityLevel
  /// Whether the local player has set the activity, and not only played notes.
  var isSet: Bool
  /// The part of the local player in ``EnsembleState/moderateTotal``; 0 if a player has set an activity.
  var share: UInt8 = 0
  /// How the master combines the levels.
  var rule = TotalActivityRule.sum

  /// - Parameter level: the activity that the player has set; nil: none.
  init(_ level: UInt8?) { (self.level, isSet) = (ActivityLevel(level ?? 0), level != nil) }

  /// When the level changes next.
  var nextDeadline: Instant { level.nextDeadline }
}
