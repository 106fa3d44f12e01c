import Dispatch
import Glibc
import Realtime
import Synchronization
import Testing

@Suite struct RealtimeThreadTests {
  @Test func whoHangsIsNotWaitedForForEver() {
    let mayEnd = DispatchSemaphore(value: 0)
    let thread = RealtimeThread(name: "hanging", priority: 1) { mayEnd.wait() }
    #expect(!thread.join(within: .milliseconds(20)))
    mayEnd.signal()
    #expect(thread.join(within: .seconds(60)))
  }

  @Test func whatALibraryStartsIsOrdinaryAndWhatWeStartIsNot() {
    let own = Policies()
    let thread = RealtimeThread(name: "own", priority: 2) {
      own.note("own")
      let inner = RealtimeThread(name: "inner", priority: 1) { own.note("inner") }
      inner.join()
      // As a sound server's plugin does it, with the attributes of the thread that calls it.
      var library = pthread_t()
      pthread_create(&library, nil, noteAsLibrary, Unmanaged.passUnretained(own).toOpaque())
      pthread_join(library, nil)
      own.note("own, afterwards")
    }
    thread.join()
    let expected: Int32
    switch thread.schedulingPolicy {
    case .fifo: expected = SCHED_FIFO
    case .other: expected = SCHED_OTHER
    }
    #expect(
      own.seen == ["own": expected, "inner": expected, "library": SCHED_OTHER, "own, afterwards": expected])
  }
}

/// Under which policy the kernel ran whom.
private final class Policies: Sendable {
  private let policies = Mutex<[String: Int32]>([:])

  var seen: [String: Int32] { policies.withLock { $0 } }

  func note(_ name: String) {
    let resetOnFork: Int32 = 0x4000_0000
    policies.withLock { $0[name] = sched_getscheduler(0) & ~resetOnFork }
  }
}

private func noteAsLibrary(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Invariant: the test holds it until this thread has been joined.
  Unmanaged<Policies>.fromOpaque(argument!).takeUnretainedValue().note("library")
  return nil
}
