import MusicalTime
import Testing

@testable import Audio

/// Tests of ``ServerStart``, which recognizes the underruns of a sound server that fills its own buffer. In each test, 20 ms of frames are
/// written at each start.
@Suite struct ServerStartTests {
  private let begin = Instant(nanoseconds: 1_000_000_000)

  /// Returns the instant `milliseconds` after ``begin``.
  private func at(_ milliseconds: Int64) -> Instant { begin + .milliseconds(milliseconds) }

  @Test func underrunBeforeTheWrittenFramesArePlayedIsOwnFilling() {
    var server = ServerStart(at: begin)
    for start in stride(from: Int64(0), to: 80, by: 4) {
      server.recordStart(at: at(start))
      let isOwnFilling = server.recordUnderrun(at: at(start + 4), buffered: .milliseconds(20))
      #expect(isOwnFilling, "\(start) ms")
    }
  }

  @Test func underrunAfterTheWrittenFramesArePlayedIsNot() {
    var server = ServerStart(at: begin)
    server.recordStart(at: at(0))
    let isOwnFilling = server.recordUnderrun(at: at(20), buffered: .milliseconds(20))
    #expect(!isOwnFilling)
  }

  /// After each start, the stream underruns after 10 ms. The limit of 200 ms is ``ServerStart/patience``.
  @Test func levelCountsAsTooLowWhenNoStartSucceedsFor200Milliseconds() {
    var server = ServerStart(at: begin)
    var lasted: Int64 = 0
    for start in stride(from: Int64(0), to: 1_000, by: 10) {
      server.recordStart(at: at(start))
      guard server.recordUnderrun(at: at(start + 10), buffered: .milliseconds(20)) else { break }
      lasted = start + 10
    }
    #expect(lasted == 200)
  }

  /// An underrun during play ends the series of starts. The next start begins a new series. An early underrun after that start is again
  /// attributed to the server that fills its own buffer.
  @Test func underrunDuringPlayBeginsANewSeries() {
    var server = ServerStart(at: begin)
    server.recordStart(at: at(0))
    let isFirstFilling = server.recordUnderrun(at: at(10_000), buffered: .milliseconds(20))
    server.recordStart(at: at(10_001))
    let isSecondFilling = server.recordUnderrun(at: at(10_005), buffered: .milliseconds(20))
    #expect(!isFirstFilling && isSecondFilling)
  }
}
