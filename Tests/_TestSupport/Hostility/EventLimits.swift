/// Upper bounds of the number of messages that a receiver obtains from one packet.
enum EventLimits {
  /// The number of recovered messages after which ``JournalRepair`` ignores the rest of a recovery journal.
  static let repair = 4096
  /// The maximum number of messages from one recovery journal. After ``repair`` messages, ``JournalRepair`` emits at most one All Notes Off
  /// per channel.
  static let journal = repair + 16
}
