import Dispatch
public import Testing

/// A trait for the suites of tests in real time: tests of processes and of connections. It runs their tests on separate threads, and at
/// most eight of them at a time.
///
/// The other tests keep every thread of the standard executor busy for seconds at a time. A test in real time would resume late after each
/// wait if it ran on the standard executor. The number is limited because most of these tests start processes. If all were started at
/// once, hundreds of processes would share the processor, and each would take minutes for what it does in a second.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  private final class Executor: TaskExecutor {
    static let shared = Executor()
    // Apart from the queue of `pause(for:)`, no other code of the tests uses this quality of service. The queue therefore has its own pool
    // of threads.
    private let queue = DispatchQueue(label: "tests in real time", qos: .userInteractive, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// The places of the tests that run at the same time.
  private actor Places {
    static let shared = Places()
    private var free = 8
    /// The tests that wait, in the order in which they came.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
      if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func giveBack() {
      if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
  }

  /// The trait applies to each test case, not to the suite as a whole.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Executor.shared) {
      await Places.shared.take()
      do { try await function() } catch {
        await Places.shared.giveBack()
        throw error
      }
      await Places.shared.giveBack()
    }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs the tests of a suite on separate threads, which no other tests keep busy, and at most eight at a time.
  public static var ownThreads: Self { OwnThreads() }
}
