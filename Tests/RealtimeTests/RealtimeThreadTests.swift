import Dispatch
import Glibc
import Realtime
import Synchronization
import Testing

/// Tests of the end and the scheduling policy of real-time threads.
@Suite struct RealtimeThreadTests {
  @Test func joinWithALimitReturnsWhileTheThreadHangs() {
    let mayEnd = DispatchSemaphore(value: 0)
    let thread = RealtimeThread(name: "hanging", priority: 1) { mayEnd.wait() }
    #expect(!thread.join(within: .milliseconds(20)))
    mayEnd.signal()
    #expect(thread.join(within: .seconds(60)))
  }

  /// The kernel grants SCHED_FIFO with the requested priority, or the thread has normal priority and its policy has advice for the
  /// user.
  @Test func schedulingPolicyReportsWhatTheKernelGranted() {
    let thread = RealtimeThread(name: "granted", priority: 10) {}
    thread.join()
    switch thread.schedulingPolicy {
    case .fifo(let priority): #expect(priority == 10 && thread.schedulingPolicy.advice == nil)
    case .other: #expect(thread.schedulingPolicy.advice?.contains("`tutti doctor`") == true)
    }
  }

  /// A thread that a library starts must not inherit the real-time policy of its creator.
  @Test func threadsStartedByALibraryHaveNormalPriority() {
    let recorder = PolicyRecorder()
    let thread = RealtimeThread(name: "outer", priority: 2) {
      recorder.record("outer")
      let inner = RealtimeThread(name: "inner", priority: 1) { recorder.record("inner") }
      inner.join()
      // The plugin of a sound server starts a thread without attributes in this way. Such a thread inherits the policy of its creator,
      // unless the creator has the flag SCHED_RESET_ON_FORK.
      var library = pthread_t()
      pthread_create(&library, nil, recordFromLibrary, Unmanaged.passUnretained(recorder).toOpaque())
      pthread_join(library, nil)
      recorder.record("outer, afterwards")
    }
    thread.join()
    let expected: Int32
    switch thread.schedulingPolicy {
    case .fifo: expected = SCHED_FIFO
    case .other: expected = SCHED_OTHER
    }
    #expect(
      recorder.recorded == [
        "outer": expected, "inner": expected, "library": SCHED_OTHER, "outer, afterwards": expected,
      ])
  }
}

/// Records the scheduling policy of each thread under a name.
private final class PolicyRecorder: Sendable {
  private let policies = Mutex<[String: Int32]>([:])

  var recorded: [String: Int32] { policies.withLock { $0 } }

  func record(_ name: String) {
    // SCHED_RESET_ON_FORK of <sched.h>. The kernel returns this flag together with the policy.
    let resetOnFork: Int32 = 0x4000_0000
    policies.withLock { $0[name] = sched_getscheduler(0) & ~resetOnFork }
  }
}

/// The body of the thread that stands for a thread of a library. `argument` is the recorder.
private func recordFromLibrary(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Invariant: the test holds the recorder until this thread has been joined.
  Unmanaged<PolicyRecorder>.fromOpaque(argument!).takeUnretainedValue().record("library")
  return nil
}
