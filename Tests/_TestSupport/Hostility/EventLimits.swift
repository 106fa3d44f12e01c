/// Upper bounds of the number of messages that a receiver obtains from one packet.
enum EventLimits {
  /// The maximum number of Data Increment or Data Decrement messages that one parameter log of a recovery journal requests: the
  /// log counts them with 14 bits (RFC 6295, appendix A.4).
  static let parameterSteps = 16_383
  /// The number of recovered messages after which ``JournalRepair`` ignores the rest of a recovery journal.
  static let repair = 4096
  /// An upper bound of the number of messages from one recovery journal. ``JournalRepair`` emits at most ``repair`` messages and then at
  /// most one All Notes Off per channel. The bound is larger: it also allows for all ``parameterSteps`` of one parameter log.
  static let journal = parameterSteps + repair
}
