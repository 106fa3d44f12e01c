/// What a player asks of the own peer.
public enum PlayerCommand: Hashable, Sendable {
  /// Starts the rhythm when nobody plays, stops it when this peer is the master.
  case startOrStop
  /// Goes on where the rhythm stopped.
  case `continue`
  /// Moves the place where it goes on by so many bars.
  case locate(bars: Int64)
  /// Makes the rhythm faster by so many beats a minute, slower when negative.
  case tempo(by: Double)
  /// The player's activity, 0...127.
  case activity(UInt8)
  /// Stops the rhythm if it is this peer's, and leaves.
  case leave
}
