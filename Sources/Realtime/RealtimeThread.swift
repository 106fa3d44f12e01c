import CRealtime
import Glibc
public import MusicalTime

/// A thread with the scheduling policy SCHED_FIFO, or with normal priority if the process has no permission for
/// SCHED_FIFO. Threads that this thread starts, for example in a library, do not inherit its priority (SCHED_RESET_ON_FORK).
public final class RealtimeThread {
  /// The scheduling policy that the kernel granted.
  public let schedulingPolicy: SchedulingPolicy
  private var thread: pthread_t

  /// The size of the stack in octets. The stack is small, because all of it stays in memory. The threads of a peer use
  /// up to 80 KiB, and up to 200 KiB in a debug build.
  static let stackSize = 512 << 10

  /// Starts a thread that runs `body`. Traps if the thread cannot be started.
  ///
  /// - Parameters:
  ///   - name: the name shown by the kernel; the first 15 characters are used.
  ///   - priority: the SCHED_FIFO priority, 1...99.
  ///   - body: the function that the thread runs once.
  ///
  /// Real-time: not safe.
  public init(name: String, priority: Int32, body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackSize)
    pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    var parameter = sched_param()
    parameter.sched_priority = priority
    pthread_attr_setschedparam(&attributes, &parameter)

    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body)).toOpaque()
    thread = pthread_t()
    var code = pthread_create(&thread, &attributes, runThread, start)
    if code == 0 {
      schedulingPolicy = .fifo(priority)
    } else {
      // The kernel has refused SCHED_FIFO. The thread gets the policy of the calling thread instead.
      schedulingPolicy = .other(refused: code)
      pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_INHERIT_SCHED))
      code = pthread_create(&thread, &attributes, runThread, start)
      precondition(
        code == 0, "thread \(name): cannot be started (\(String(cString: strerror(code)))); close other programs")
    }
  }

  /// Waits until the body has returned.
  ///
  /// Real-time: not safe.
  public func join() { pthread_join(thread, nil) }

  /// Waits until the body has returned, for at most `limit`.
  ///
  /// - Returns: true if the body has returned. The thread must then not be joined again. False if the thread still runs.
  ///
  /// Real-time: not safe.
  public func join(within limit: Nanoseconds) -> Bool {
    realtime_join(thread, (MonotonicClock.now + limit).nanoseconds) != 0
  }
}

/// The arguments of a new thread, retained until the thread has taken them.
private final class ThreadStart {
  let name: String
  let body: @Sendable () -> Void
  init(name: String, body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

// A global function, not a closure: a closure inherits the actor isolation of the code around it, if that code has one, and the
// new thread runs outside every actor.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
  realtime_prepare_thread(String(start.name.prefix(15)))
  start.body()
  return nil
}

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
      + "run `tutti doctor`"
  }
}
