public import MusicalTime

/// The origin of a message of the local player.
public enum MessageOrigin: Hashable, Sendable, BitwiseCopyable {
  /// The player.
  case player
  /// The instrument of the player. The message takes effect at this instant.
  case instrument(at: Instant)
  /// A phrase that is repeated.
  case phrase
}
