import Logging
import MusicalTime

/// Logs the lines that remote peers and devices can cause, at the rate that ``LineLimiter`` permits. Lines that only the local player can
/// cause go to the log directly.
struct RemoteLog {
  private var limiter = LineLimiter()
  private let log: Logger

  init(_ log: Logger) { self.log = log }

  /// Logs `line`, or counts it.
  ///
  /// - Parameter subject: see ``LineLimiter/admits(_:_:of:at:)``.
  mutating func write(
    _ line: String, _ level: Logger.Level, _ topic: LineLimiter.Topic, of subject: String, at now: Instant
  ) {
    if limiter.admits(line, topic, of: subject, at: now) { log.log(level: level, "\(line)") }
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
