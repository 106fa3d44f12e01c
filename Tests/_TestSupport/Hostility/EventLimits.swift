/// Upper bounds of the number of messages that a receiver obtains from one packet.
enum EventLimits {
  /// The maximum number of Data Increment or Data Decrement messages that one parameter log of a recovery journal requests: the
  /// log counts them with 14 bits (RFC 6295, appendix A.4).
  static let parameterSteps = 16_383
  /// The number of recovered messages after which ``JournalRepair`` ignores the rest of a recovery journal.
  static let repair = 4096
  /// An upper bound of the number of messages from one recovery journal. It allows for a last log that begins just below the limit
  /// ``repair`` and requests ``parameterSteps`` further messages.
  static let journal = parameterSteps + repair
}
