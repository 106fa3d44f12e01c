import Testing
import _TestSupport
import _TestTraits

/// A test of the processes that tests start.
@Suite(.serialized, .ownThreads) struct ChildTests {
  /// Two processes start at the same moment. One of them ends at once. Its end is seen although the other one still runs: the other one
  /// has not inherited the socket by which Foundation sees the end.
  @Test func endIsSeenWhileAnotherProcessRuns() async throws {
    let folder = try TemporaryFolder()
    for number in 1...100 {
      async let running = Child("/bin/sleep", ["60"], name: "running \(number)", in: folder)
      async let ending = Child("/bin/true", [], name: "ending \(number)", in: folder)
      let (long, short) = try await (running, ending)
      #expect(try await short.status(within: .seconds(10)) == 0)
      long.signal(9)
    }
  }
}
