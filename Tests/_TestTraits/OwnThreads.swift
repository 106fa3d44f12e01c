import Dispatch
public import Testing

/// A trait that runs the tests of a suite on separate threads. The other tests keep every thread of the standard executor busy
/// for seconds at a time. A test in real time would resume late after each wait if it ran on the standard executor.
public struct OwnThreads: SuiteTrait, TestScoping {
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

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Executor.shared) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs the tests of a suite on separate threads, which no other tests keep busy.
  public static var ownThreads: Self { OwnThreads() }
}
