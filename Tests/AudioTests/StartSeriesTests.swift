import MusicalTime
import Testing

@testable import Audio

/// Tests of ``StartSeries``, the consecutive starts of a stream that underruns early. In each test, 20 ms of frames are written at each
/// start.
@Suite struct StartSeriesTests {
  private let begin = Instant(nanoseconds: 1_000_000_000)

  /// Returns the instant `milliseconds` after ``begin``.
  private func at(_ milliseconds: Int64) -> Instant { begin + .milliseconds(milliseconds) }

  @Test func underrunBeforeTheWrittenFramesArePlayedIsOwnFilling() {
    var series = StartSeries(at: begin)
    for start in stride(from: Int64(0), to: 80, by: 4) {
      series.recordStart(at: at(start))
      let isOwnFilling = series.recordUnderrun(at: at(start + 4), buffered: .milliseconds(20))
      #expect(isOwnFilling, "\(start) ms")
    }
  }

  @Test func underrunAfterTheWrittenFramesArePlayedIsNot() {
    var series = StartSeries(at: begin)
    series.recordStart(at: at(0))
    let isOwnFilling = series.recordUnderrun(at: at(20), buffered: .milliseconds(20))
    #expect(!isOwnFilling)
  }

  /// After each start, the stream underruns after 10 ms. The limit of 200 ms is ``StartSeries/patience``.
  @Test func levelCountsAsTooLowWhenNoStartSucceedsFor200Milliseconds() {
    var series = StartSeries(at: begin)
    var lasted: Int64 = 0
    for start in stride(from: Int64(0), to: 1_000, by: 10) {
      series.recordStart(at: at(start))
      guard series.recordUnderrun(at: at(start + 10), buffered: .milliseconds(20)) else { break }
      lasted = start + 10
    }
    #expect(lasted == 200)
  }

  /// A stream underruns 1 ms after each start. For 200 ms it is started again at once, and then every 10 ms.
  @Test func deviceThatNeverPlaysIsStartedAtMostEvery10Milliseconds() {
    var series = StartSeries(at: begin)
    var start = begin
    var starts: [Int64] = []
    while start < at(1_000) {
      series.recordStart(at: start)
      starts.append((start - begin).count / 1_000_000)
      let underrun = start + .milliseconds(1)
      _ = series.recordUnderrun(at: underrun, buffered: .milliseconds(20))
      start = series.nextStart(at: underrun)
    }
    #expect(starts == Array(0...200) + stride(from: 210, to: 1_000, by: 10))
  }

  /// An underrun during play ends the series of starts. The next start begins a new series. An early underrun after that start is again
  /// attributed to the server that fills its own buffer.
  @Test func underrunDuringPlayBeginsANewSeries() {
    var series = StartSeries(at: begin)
    series.recordStart(at: at(0))
    let isFirstFilling = series.recordUnderrun(at: at(10_000), buffered: .milliseconds(20))
    series.recordStart(at: at(10_001))
    let isSecondFilling = series.recordUnderrun(at: at(10_005), buffered: .milliseconds(20))
    #expect(!isFirstFilling && isSecondFilling)
  }
}
