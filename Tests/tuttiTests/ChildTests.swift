import Glibc
import Testing
import _TestSupport
import _TestTraits

/// A test of the processes that tests start.
@Suite(.serialized, .ownThreads) struct ChildTests {
  /// Four processes start at the same time, and two of them end at once. Their ends are detected while the others still run.
  @Test func endIsDetectedWhileAnotherProcessRuns() async throws {
    let folder = try TemporaryFolder()
    for number in 1...100 {
      async let running1 = Child("/bin/sleep", ["900"], name: "running 1.\(number)", in: folder)
      async let ending1 = Child("/bin/true", [], name: "ending 1.\(number)", in: folder)
      async let running2 = Child("/bin/sleep", ["900"], name: "running 2.\(number)", in: folder)
      async let ending2 = Child("/bin/true", [], name: "ending 2.\(number)", in: folder)
      let (running, ending) = try await ([running1, running2], [ending1, ending2])
      for child in ending { #expect(try await child.status() == 0) }
      for child in running { child.signal(SIGKILL) }
    }
  }
}
