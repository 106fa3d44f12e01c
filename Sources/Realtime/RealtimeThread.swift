import CRealtime
import Glibc
public import MusicalTime

/// A thread of its own under SCHED_FIFO, or at normal priority where the right to it is missing. Threads that its body, or
/// a library the body calls, starts by other means begin at normal priority (SCHED_RESET_ON_FORK).
public final class RealtimeThread {
  /// What the kernel granted.
  public let schedulingPolicy: SchedulingPolicy
  private var thread: pthread_t

  /// Starts `body` on a thread called `name` (15 characters count) with FIFO `priority`, 1...99.
  ///
  /// Real-time: not safe.
  public init(name: String, priority: Int32, body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 1 << 20)
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
      schedulingPolicy = .other(refused: code)
      pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_INHERIT_SCHED))
      code = pthread_create(&thread, &attributes, runThread, start)
      precondition(code == 0, "no thread could be started: \(String(cString: strerror(code)))")
    }
  }

  /// Waits until the body has returned.
  ///
  /// Real-time: not safe.
  public func join() { pthread_join(thread, nil) }

  /// Waits until the body has returned, for `limit` at most: whether it has. After true do not join again; after false the
  /// thread runs on.
  ///
  /// Real-time: not safe.
  public func join(within limit: Nanoseconds) -> Bool {
    realtime_join(thread, (MonotonicClock.now + limit).nanoseconds) != 0
  }
}

private final class ThreadStart {
  let name: String
  let body: @Sendable () -> Void
  init(name: String, body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

// A global function, not a closure: a closure written in an actor's context would carry its isolation into the new
// thread.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
  realtime_prepare_thread(String(start.name.prefix(15)))
  start.body()
  return nil
}
