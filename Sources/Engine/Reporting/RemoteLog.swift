import Logging
import MusicalTime

/// Logs the notices of a peer. Lines that remote peers and devices can cause are logged at the rate that ``LineLimiter`` permits.
struct RemoteLog {
  private var limiter = LineLimiter()
  /// The log without a limit, for lines that only the local player can cause.
  let log: Logger

  init(_ log: Logger) { self.log = log }

  /// Logs the line of `notice`, or counts it.
  mutating func write(_ notice: Notice, at now: Instant) {
    if let (topic, subject) = notice.limit, !limiter.admits(notice.line, topic, of: subject, at: now) { return }
    log.log(level: notice.level, "\(notice.line)")
  }

  /// Logs the numbers of the lines that were counted.
  mutating func report(at now: Instant) { write(limiter.due(at: now)) }

  /// Logs all following lines about the role of master and about mute, up to the limit, because the local player has given a command.
  mutating func beginCommand(at now: Instant) {
    write(limiter.begin(.role, at: now))
    write(limiter.begin(.mute, at: now))
  }

  /// Logs the numbers of the lines that were counted so far, because no lines follow.
  mutating func finish() { write(limiter.rest()) }

  private func write(_ lines: [String]) { for line in lines { log.notice("\(line)") } }
}

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
