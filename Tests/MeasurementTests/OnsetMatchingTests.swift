import MusicalTime
import Testing

@testable import Measurement

/// Tests of ``OnsetMatching``, which assigns the onsets of a recording to those of the reference. Instants are in milliseconds.
@Suite struct OnsetMatchingTests {
  private func matching(_ reference: [Int64], _ other: [Int64]) -> OnsetMatching {
    func instants(_ milliseconds: [Int64]) -> [Instant] { milliseconds.map { Instant(nanoseconds: $0 * 1_000_000) } }
    let span = Instant(nanoseconds: 0)...Instant(nanoseconds: 1_000_000_000)
    return OnsetMatching(instants(reference), span: span, instants(other), span: span)
  }

  /// The neighbours of the onset of the reference at 300 ms are 100 ms earlier and 40 ms later. Onsets of the other recording from 250
  /// to 320 ms are assigned to this onset. `index` is the expected index of the onset of the reference.
  @Test func toleranceOnEachSideIsHalfTheDistanceToTheNeighbourOnThisSide() {
    let reference: [Int64] = [200, 300, 340]
    for (onset, index) in [(249, 0), (251, 1), (319, 1), (321, 2)] {
      let matching = matching(reference, [Int64(onset)])
      #expect(matching.pairs.map(\.0) == [index] && matching.pairs.map(\.1) == [0], "onset at \(onset)")
      #expect(matching.missing == 2 && matching.extra == 0, "onset at \(onset)")
    }
  }

  /// On a side without a neighbour, onsets are assigned within 100 ms: before the first onset and after the last.
  @Test func onsetIsAssignedWithinAHundredMilliseconds() {
    for (onset, isAssigned) in [(199, false), (201, true), (699, true), (701, false)] {
      let matching = matching([300, 600], [Int64(onset)])
      #expect(matching.pairs.isEmpty != isAssigned && matching.extra == (isAssigned ? 0 : 1), "onset at \(onset)")
    }
  }
}
