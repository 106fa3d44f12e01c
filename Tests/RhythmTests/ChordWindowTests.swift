import MusicalTime
import Rhythm
import Testing

/// The chords of a piece that replace those of a rhythm. A bar has four steps. The range of the bass begins at E1 (28). In this range, the key
/// of C is 36, that of F is 29, and that of G is 31. The chord of the rhythm itself is Dm, whose key is 38.
@Suite struct ChordWindowTests {
  private static func chord(_ root: UInt8, _ intervals: [Int] = [4, 7]) -> Chord {
    Chord("", root: root, bass: root, intervals: intervals)
  }
  private static let phrases = [[chord(0), chord(5)], [chord(7), chord(0)]]
  private static let style = """
    name: test
    description: A test.
    tempo: 120
    meter: 1/4
    swell: 0%
    chords: Dm
    play: { always: { kick: x... } }
    parts: { bass: { range: E1..C3, always: { root: x... } }, keys: { range: C3..C5, always: { chord: x... } } }
    """

  private func table(_ changes: [(Int, Int, Int)], end: Int? = nil, origin: Int64 = 0) throws -> StepTable {
    var window = ChordWindow(
      phrases: Self.phrases, changes: changes.map { .init(phrase: $0.0, index: $0.1, step: $0.2) }, origin: Step(origin)
    )
    window.end = end
    return StepTable(try PatchLoader.patch(from: Self.style, file: "small.yaml"), following: window)
  }

  private func roots(_ table: StepTable, _ steps: Range<Int64>) -> [UInt8] { table.notes(.bass, steps).map(\.key) }

  @Test func rhythmFollowsTheChords() throws {
    let table = try table([(0, 0, 0), (0, 1, 4), (1, 0, 8)])
    // The last chord holds.
    #expect(roots(table, 0..<20) == [36, 29, 31, 31, 31])
    #expect(table.chord(at: Step(4))?.root == 5)
  }

  /// Before the first chord and from the end on, the rhythm plays its own chords.
  @Test func ownChordsSurroundTheWindow() throws {
    #expect(roots(try table([(0, 0, 8), (0, 1, 12)], end: 16, origin: 40), 40..<64) == [38, 38, 36, 29, 38, 38])
  }

  /// The keys of a chord are the same in each window, although a voicing depends on the chord before it.
  @Test func voicingsDoNotDependOnTheWindow() throws {
    let whole = try table([(0, 0, 0), (0, 1, 4), (1, 0, 8), (1, 1, 12)])
    let part = try table([(0, 1, 0), (1, 0, 4), (1, 1, 8)], origin: 4)
    #expect(whole.notes(.keys, 4..<16) == part.notes(.keys, 4..<16))
    #expect(Set(whole.notes(.keys, 0..<16).map(\.key)).count > 5)
  }

  @Test func chordsHaveAtMostSixDifferentNotes() {
    #expect(Self.chord(0, [4, 7, 10, 14, 17, 21]).tones.pitchClasses.nonzeroBitCount == 6)
    #expect(Self.chord(2, [16, 4, 7]).tones.pitchClasses == 1 << 2 | 1 << 6 | 1 << 9)
    #expect(Self.chord(0, []).tones.pitchClasses == 1 | 1 << 7)
  }
}
