import Logging

/// A line for the player. The parts of a peer return notices, and ``Peer`` logs them.
struct Notice {
  let line: String
  let level: Logger.Level
  /// The topic and the subject by which ``LineLimiter`` limits the line. Nil if only the local player can cause the line.
  let limit: (topic: LineLimiter.Topic, subject: String)?

  /// - Parameters:
  ///   - topic: nil if only the local player can cause the line.
  ///   - subject: see ``LineLimiter/admits(_:_:of:at:)``.
  init(
    _ line: String, _ level: Logger.Level = .notice, _ topic: LineLimiter.Topic? = nil, of subject: String = ""
  ) {
    (self.line, self.level, limit) = (line, level, topic.map { ($0, subject) })
  }
}
