import Ensemble
import Logging
import MusicalTime
import Receiving

/// Logs the beginning and the end of sessions. Any host on the network can begin and end a thousand sessions per second. The rate of
/// lines is therefore limited: 128 lines at once, then one per second.
struct SessionLog {
  private var budget = MessageBudget(rate: 1, depth: 128)
  private let log: Logger

  init(_ log: Logger) { self.log = log }

  /// Logs `line`, unless the rate is exceeded. The first line that is not logged causes a notice.
  mutating func write(_ line: String, at now: Instant) {
    if budget.admit(at: now) { return log.info("\(line)") }
    if budget.refused == 1 {
      let reason = "devices connect and disconnect too often; at most one line per second is printed while this lasts"
      log.notice("connections: \(reason); check which device does this, or use --policy contacts")
    }
  }
}
