/// Upper bounds of the number of messages that a receiver obtains from one packet.
enum EventLimits {
  /// The maximum number of Data Increment or Data Decrement messages that one parameter log of a recovery journal requests: the
  /// log counts them with 14 bits (RFC 6295, appendix A.4).
  static let parameterSteps = 16_383
  /// The number of recovered messages after which ``JournalRepair`` ignores the rest of a recovery journal.
  static let repair = 4096
  /// An upper bound of the number of messages from one recovery journal. It is generous: it would also hold if the last log before the
  /// limit gave all its ``parameterSteps``.
  static let journal = parameterSteps + repair
}
