import Dispatch

/// Suspends the current task for a time. Tests in real time use this function instead of `Task.sleep`.
///
/// `Task.sleep` wakes up on the standard executor, even if the task prefers another executor (`OwnThreads`). The tests with a virtual
/// clock keep all threads of the standard executor busy for seconds at a time, so a task with `Task.sleep` would resume late.
///
/// - Throws: `CancellationError` after the pause, if the task was cancelled.
public func pause(for duration: Duration) async throws {
  let (seconds, attoseconds) = duration.components
  let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
  await withCheckedContinuation { continuation in
    pauses.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { continuation.resume() }
  }
  try Task.checkCancellation()
}

/// Resumes the tasks in ``pause(for:)``. No other code of the tests uses this queue.
private let pauses = DispatchQueue(label: "pauses of tests in real time", qos: .userInteractive)
