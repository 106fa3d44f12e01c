import Engraving
import Scores
import Testing

/// Scores from strangers: they are drawn, or refused with a message.
@Suite struct EngravingLimitTests {
  private let fixture: LayoutFixture

  init() throws { fixture = try LayoutFixture() }

  private func fault(_ score: Score, part: Int = 0, width: Double = 100) -> String {
    do throws(ScoreFault) {
      _ = try Engraver(fonts: fixture.fonts, width: width).engrave(score, part: part)
      return ""
    } catch {
      return error.description
    }
  }

  @Test(arguments: [5.0, 100_000, -1, .nan, .infinity])
  func `a width out of range is refused`(width: Double) throws {
    let message = fault(try LayoutFixture.score("C5:1"), width: width)
    #expect(message.contains("is out of range; use 10 to 4000"))
  }

  @Test func `a part that does not exist is refused`() throws {
    let score = try LayoutFixture.score("C5:1")
    #expect(fault(score, part: 1) == "part 2: it does not exist; use 1 to 1")
    #expect(fault(Score(), part: 0) == "part 1: it does not exist; use 1 to 0")
  }

  @Test func `a chord of 500 notes is refused`() throws {
    var score = try LayoutFixture.score("C5:1")
    let note = score.parts[0].bars[0].voices[0].chords[0].notes[0]
    score.parts[0].bars[0].voices[0].chords[0].notes = Array(repeating: note, count: 500)
    #expect(fault(score) == "bar 1: a chord of 500 notes; use at most 32")
  }

  @Test func `a bar with too many marks is refused`() throws {
    var score = try LayoutFixture.score("C5:1")
    score.parts[0].bars[0].marks = Array(repeating: Mark(offset: .zero, .words("x")), count: 500)
    #expect(fault(score) == "bar 1: 501 marks; use at most 500")
  }

  @Test func `empty parts have rests`() throws {
    let score = try LayoutFixture.score("r:1")
    var empty = score
    empty.parts[0].bars[0] = PartBar()
    let elements = try fixture.engrave(empty).systems[0].elements
    #expect(LayoutFixture.glyphs(elements.filter { $0.role == .rest }) == [.restWhole])
  }

  @Test func `twelve voices on one staff do not overlap`() throws {
    var score = try LayoutFixture.score("C5:4 D5:4 E5:4 F5:4;B4:4 C5:4 D5:4 E5:4;G4:2 F4:2;A4:4 B4:4 C5:4 D5:4")
    // The limit of a score is four voices for a staff; three staves that all point to the first one have twelve.
    score.parts[0].staves = 3
    let first = score.parts[0].bars[0].voices
    score.parts[0].bars[0].voices = (0..<3).flatMap { copy in
      first.map { Voice(number: UInt8(copy * 4) + $0.number, chords: $0.chords) }
    }
    score.assignIdentifiers()
    try score.validate()
    let notes = try fixture.engrave(score).systems.flatMap(\.elements).filter { $0.role == .note }
    #expect(notes.count == 42)
    let boxes = notes.flatMap(\.shapes).map { fixture.box($0) }
    for (index, box) in boxes.enumerated() {
      for other in boxes[(index + 1)...] where box != other { #expect(!box.overlaps(other, tolerance: 0.16)) }
    }
  }

  @Test func `a bar that is longer than the line is drawn smaller, not lost`() throws {
    let text = Array(repeating: "F#5:64", count: 64).joined(separator: " ")
    let system = try fixture.engrave(try LayoutFixture.score(text), width: 20).systems[0]
    let notes = system.elements.filter { $0.role == .note }
    #expect(notes.count == 64)
    let right = notes.flatMap(\.shapes).map { fixture.box($0).right }.max() ?? 0
    #expect(right < 20)
    guard case .glyph(_, _, let scale)? = notes.first?.shapes.first else { return }
    #expect(scale < 0.5 && scale > 0.05)
  }

  @Test func `long titles are broken into lines`() throws {
    var score = try LayoutFixture.score("C5:1")
    score.title = String(repeating: "A long title ", count: 70)
    let part = try fixture.engrave(score, width: 35)
    let lines = try #require(part.header.first { $0.role == .title }).shapes
    #expect(lines.count > 20)
    #expect(lines.allSatisfy { fixture.box($0).right <= 35.01 && fixture.box($0).left >= -0.01 })
    #expect(part.headerHeight > lines.map { fixture.box($0).bottom }.max() ?? 0)
  }

  @Test func `what is not drawn is listed`() throws {
    var score = try LayoutFixture.score("C5:1")
    score.parts[0].bars[0].voices[0].chords[0].signs = [.arpeggio, Chord.Signs(rawValue: 1 << 12)]
    let missing = try fixture.engrave(score).missing
    #expect(missing.map(\.name) == ["arpeggiate", "scoop"] && missing.map(\.count) == [1, 1])
  }
}
