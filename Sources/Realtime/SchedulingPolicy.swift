import Glibc

/// Under which policy the kernel runs a thread.
public enum SchedulingPolicy: Sendable, Equatable, CustomStringConvertible {
  /// SCHED_FIFO with this priority.
  case fifo(Int32)
  /// SCHED_OTHER, because SCHED_FIFO was refused with this errno.
  case other(refused: Int32)

  public var description: String {
    switch self {
    case .fifo(let priority): "SCHED_FIFO \(priority)"
    case .other: "SCHED_OTHER"
    }
  }

  /// What to tell the player, once, when FIFO was refused; nil when it was not.
  public var advice: String? {
    guard case .other(let code) = self else { return nil }
    return "real-time priority refused (\(String(cString: strerror(code)))), timing will be worse under load; "
      + "allow it with `ulimit -r 95` (limits.conf: rtprio 95), CAP_SYS_NICE, or run as root"
  }
}
