/// Upper bounds of the number of messages that a receiver obtains from one packet.
enum EventLimits {
  /// The maximum number of Data Increment or Data Decrement messages that one parameter log of a recovery journal causes.
  static let parameterSteps = 16_383
  /// The number of messages from one recovery journal at which the repair ends.
  static let repair = 4096
  /// The maximum number of messages from one recovery journal.
  static let journal = parameterSteps + repair
}
