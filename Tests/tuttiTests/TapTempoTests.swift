import MusicalTime
import Testing

@testable import tutti

/// Tests of ``TapTempo``, the tempo that the player taps.
@Suite struct TapTempoTests {
  /// The tempo in BPM after each tap; nil if there is none. `times` are the times of the taps in milliseconds.
  private func tempos(_ times: [Int64]) -> [Double?] {
    var taps = TapTempo()
    return times.map { taps.tap(at: Instant(nanoseconds: $0 * 1_000_000))?.bpm.rounded() }
  }

  @Test func thirdTapGivesATempo() { #expect(tempos([0, 500, 1_000]) == [nil, nil, 120]) }

  /// The mean of the intervals 490, 520 and 495 ms is 501.7 ms, or 119.6 BPM. The tempo is rounded to 120 BPM.
  @Test func tempoIsTheMeanOfTheIntervals() { #expect(tempos([0, 490, 1_010, 1_505]).last == 120) }

  /// A pause of more than two seconds begins a new series of taps, and the third tap of the series gives a tempo.
  @Test func pauseBeginsANewSeries() {
    #expect(tempos([0, 500, 1_000, 3_100, 3_500, 3_900]) == [nil, nil, 120, nil, nil, 150])
  }

  /// Only the last eight intervals count. After eight taps 400 ms apart (150 BPM), the slower taps before them have no effect.
  @Test func oldTapsAreForgotten() {
    let slow = (0..<10).map { Int64($0) * 1_000 }
    let fast = (1...8).map { slow[9] + Int64($0) * 400 }
    #expect(tempos(slow + fast).last == 150)
  }

  /// Taps 25 ms apart mean 2400 BPM. The maximum is 999 BPM.
  @Test func tempoOutOfRangeIsIgnored() { #expect(tempos([0, 25, 50]) == [nil, nil, nil]) }
}
