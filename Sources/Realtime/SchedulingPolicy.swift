import Glibc

/// The scheduling policy of a thread.
///
/// Real-time: not safe.
public enum SchedulingPolicy: Sendable, Equatable, CustomStringConvertible {
  /// SCHED_FIFO with the given priority, 1...99.
  case fifo(Int32)
  /// SCHED_OTHER, because the kernel refused SCHED_FIFO with the given errno.
  case other(refused: Int32)

  public var description: String {
    switch self {
    case .fifo(let priority): "SCHED_FIFO \(priority)"
    case .other: "SCHED_OTHER"
    }
  }

  /// A warning for the user with the remedy if the kernel refused SCHED_FIFO, otherwise nil.
  public var advice: String? {
    guard case .other(let code) = self else { return nil }
    return "real-time priority: refused (\(String(cString: strerror(code)))), so timing is less accurate under load; "
      + "add the line `NAME - rtprio 95` to /etc/security/limits.conf (NAME is your user) and log in again, "
      + "or run as root"
  }
}
