public import Testing

/// Begins something that the tests of a suite wait for. It begins before the first test of the run, so that it takes place beside
/// all other tests.
public struct EarlyStart: SuiteTrait {
  let begin: @Sendable () -> Void

  public func prepare(for test: Test) async throws { begin() }
}

extension Trait where Self == EarlyStart {
  /// Calls `begin` before the first test of the run. A run without tests of the suite does not call it.
  public static func startingEarly(_ begin: @escaping @Sendable () -> Void) -> Self { EarlyStart(begin: begin) }
}
