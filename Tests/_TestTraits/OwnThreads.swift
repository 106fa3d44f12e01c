import Dispatch
public import Testing

/// Runs the tests of a suite on threads of their own. The other tests keep every thread of the standard executor busy
/// for seconds at a time. A test in real time that ran there would resume late after each wait.
public struct OwnThreads: SuiteTrait, TestScoping {
  private final class Executor: TaskExecutor {
    static let shared = Executor()
    // A quality of service that nothing else here uses, and so a pool of threads that nothing else uses.
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
  /// Runs the tests of a suite on threads of their own, which no other tests keep busy.
  public static var ownThreads: Self { OwnThreads() }
}
