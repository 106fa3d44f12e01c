import Foundation
import Testing

@testable import Realtime

@Suite struct MemoryLockTests {
  /// The kernel reports the setting in /proc/self/status since Linux 5.0.
  @Test func hugePagesAreDisabled() throws {
    MemoryLock.disableHugePages()
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("THP_enabled:") })
    #expect(line.hasSuffix("0"))
  }
}
