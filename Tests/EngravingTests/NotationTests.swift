import Engraving
import Scores
import Testing

/// The rules of notation: accidentals, stems, beams, rests.
@Suite struct NotationTests {
  private let fixture: LayoutFixture

  init() throws { fixture = try LayoutFixture() }

  // MARK: Accidentals

  /// A bar, its key, and the accidentals that are printed.
  @Test(arguments: [
    ("F#5:4 F#5:4 F5:4 F#4:4", 0, ["sharp", "natural", "sharp"]),
    ("F#5:4 F5:4 F#5:4 Bb4:4", 1, ["natural", "sharp", "flat"]),
    ("F#5:2 G5:2|F#5:2 F5:2", 0, ["sharp", "sharp", "natural"]),
    ("F##5:4 F#5:4 Gbb4:4 G4:4", 0, ["doubleSharp", "sharp", "doubleFlat", "natural"]),
    // The octave has its own accidental, and voices share theirs.
    ("F#5:4 F#4:4 r:2;r:2 F#4:4 F4:4", 0, ["sharp", "sharp", "natural"]),
  ])
  func `an accidental holds for its bar, place and octave`(text: String, fifths: Int, expected: [String]) throws {
    #expect(try fixture.elements(text, .accidental, fifths: fifths).map(\.label) == expected)
  }

  @Test func `a note that a tie continues needs no accidental, the next one does`() throws {
    var score = try LayoutFixture.score("r:2 F#5:2|F#5:4 F#5:4 r:2")
    score.parts[0].bars[0].voices[0].chords[1].notes[0].startsTie = true
    score.parts[0].bars[1].voices[0].chords[0].notes[0].continuesTie = true
    let accidentals = try fixture.engrave(score).systems.flatMap(\.elements).filter { $0.role == .accidental }
    let chords = score.parts[0].bars.flatMap { $0.voices[0].chords }
    #expect(accidentals.map(\.id) == [chords[1].notes[0].id, chords[3].notes[0].id])
  }

  @Test func `a courtesy accidental of the file is printed`() throws {
    var score = try LayoutFixture.score("C5:1")
    score.parts[0].bars[0].voices[0].chords[0].notes[0].accidental = .natural
    let accidentals = try fixture.engrave(score).systems[0].elements.filter { $0.role == .accidental }
    #expect(LayoutFixture.glyphs(accidentals) == [.accidentalNatural])
  }

  // MARK: Stems

  /// Notes, and whether their stems point up.
  @Test(arguments: [
    ("A4:4 B4:4 C5:4 G4:4", [true, false, false, true]),
    // The note farthest from the middle line decides for a chord.
    ("C4+C5:2 A4+G5:2", [true, false]),
    // Two voices: up and down.
    ("E5:2 E5:2;G4:2 G4:2", [true, true, false, false]),
    // The voice that lies above the other one has its stems up.
    ("G4:2 G4:2;E5:2 E5:2", [false, false, true, true]),
    ("G4:2 E5:2;E5:2 G4:2", [true, true, false, false]),
  ])
  func `stems follow the middle line and the voices`(text: String, isUp: [Bool]) throws {
    let elements = try fixture.elements(text, .stem)
    let score = try LayoutFixture.score(text)
    for (chord, isUp) in zip(score.parts[0].bars[0].voices.flatMap(\.chords), isUp) {
      let stem = try #require(elements.first { $0.id == chord.id }.flatMap(LayoutFixture.stem))
      #expect(stem.isUp == isUp)
    }
  }

  @Test func `a stem is 3.5 spaces long and reaches the middle line`() throws {
    let stems = try fixture.elements("A4:4 C4:4 A3:4 C6:4", .stem)
    let tips = stems.compactMap { element -> Double? in
      if case .line(_, let to, _, _)? = element.shapes.first { to.y } else { nil }
    }
    // A4 is at 2.5; C4 at 5. Stems of notes with ledger lines end at the middle line.
    #expect(tips == [-1, 1.5, 2, 2])
  }

  @Test func `the stem of the file has priority`() throws {
    var score = try LayoutFixture.score("C4:1|C4:4 r:2.")
    score.parts[0].bars[1].voices[0].chords[0].stem = .down
    let stems = try fixture.engrave(score).systems[0].elements.filter { $0.role == .stem }
    #expect(stems.compactMap(LayoutFixture.stem).map(\.isUp) == [false])
  }

  // MARK: Beams

  /// Bars, metre, and the numbers of polygons of their beams.
  @Test(arguments: [
    ("C5:8 C5:8 C5:8 C5:8 C5:8 C5:8 C5:8 C5:8", 4, 4, [1, 1]),
    ("C5:8 C5:8 C5:8 C5:8 C5:8 C5:8", 3, 4, [1]),
    ("C5:8 C5:8 C5:8 C5:8 C5:8 C5:8", 6, 8, [1, 1]),
    ("C5:8 C5:8 C5:8 C5:8 C5:8", 5, 8, [1, 1]),
    ("C5:8. C5:16 C5:16 C5:16 C5:8 r:2", 4, 4, [2, 2]),
    ("C5:4 C5:8 r:8 r:2", 4, 4, []),
  ])
  func `beams follow the metre`(text: String, beats: Int, unit: Int, expected: [Int]) throws {
    let score = try LayoutFixture.score(text, beats: beats, unit: unit)
    let beams = try fixture.engrave(score).systems[0].elements.filter { $0.role == .beam }
    #expect(beams.map(\.shapes.count) == expected)
  }

  @Test func `beams of the file have priority`() throws {
    var score = try LayoutFixture.score("C5:8 C5:8 C5:8 C5:8 r:2")
    let beams: [[Beam]] = [[.begin], [.continue], [.end], []]
    for (index, beam) in beams.enumerated() { score.parts[0].bars[0].voices[0].chords[index].beams = beam }
    let elements = try fixture.engrave(score).systems[0].elements
    #expect(elements.count { $0.role == .beam } == 1)
    #expect(elements.count { $0.role == .flag } == 1)
  }

  @Test(arguments: [
    "C5:16 E5:16 G5:16 C6:16 r:4 r:2", "C6:8 A5:8 D4:8 F4:8 r:2", "A3:32 B3:32 C4:32 D4:32 r:8 r:4 r:2",
  ])
  func `stems under a beam end on it and are at least 2.5 spaces long`(text: String) throws {
    let elements = try fixture.engrave(LayoutFixture.score(text)).systems[0].elements
    let beams = elements.filter { $0.role == .beam }.flatMap(\.shapes)
    for element in elements where element.role == .stem {
      guard case .line(let from, let to, _, _)? = element.shapes.first else { continue }
      #expect(abs(to.y - from.y) >= 2.3)
      let reaches = beams.contains { shape in
        guard case .polygon(let points) = shape, to.x >= points[0].x - 0.01, to.x <= points[1].x + 0.01 else {
          return false
        }
        let share = (to.x - points[0].x) / (points[1].x - points[0].x)
        return abs(points[0].y + (points[1].y - points[0].y) * share - to.y) < 0.01
      }
      #expect(reaches)
    }
  }

  @Test func `a beam slants with its notes, and is level over an inner note that is near`() throws {
    func rise(_ text: String) throws -> Double {
      guard case .polygon(let points)? = try fixture.elements(text, .beam).first?.shapes.first else { return .nan }
      return points[1].y - points[0].y
    }
    #expect(try rise("C5:8 E5:8 r:4 r:2") < 0)
    #expect(try rise("E5:8 C5:8 r:4 r:2") > 0)
    #expect(try rise("C5:8 C5:8 r:4 r:2") == 0)
    #expect(try rise("F4:8 C5:8 C5:8 G4:8 r:2") == 0)
    // The slant is limited.
    #expect(try rise("C4:8 G4:8 G4:8 F5:8 r:2") >= -2)
  }

  // MARK: Rests

  @Test func `a rest for the whole bar is a whole rest in the middle`() throws {
    let score = try LayoutFixture.score("C5:4 C5:4 C5:4|r:2.|C5:2.", beats: 3)
    let system = try fixture.engrave(score).systems[0]
    let rests = system.elements.filter { $0.role == .rest }
    #expect(LayoutFixture.glyphs(rests) == [.restWhole])
    let shape = try #require(rests.first?.shapes.first)
    let box = fixture.box(shape)
    let measure = system.measures[1]
    #expect(abs((box.left + box.right) / 2 - (measure.left + measure.right) / 2) < 0.5)
  }

  @Test func `rests of two voices stand apart`() throws {
    let rests = try fixture.elements("C5:4 r:4 r:2;C4:4 r:4 C4:2", .rest).flatMap(\.shapes).map { fixture.box($0) }
    try #require(rests.count == 3)
    // The two quarter rests sound together: the upper one comes first.
    let pair = rests.filter { abs($0.left - rests[0].left) < 0.1 }
    #expect(pair.count == 2 && pair[0].bottom < pair[1].top)
    // The half rest is above the note of the other voice.
    #expect(rests.contains { $0.height < 1 && $0.bottom < 3 })
  }

  @Test func `heads that are higher than a space stand on both sides of the stem`() throws {
    var score = try LayoutFixture.score("A4+C5+E5:4 r:4 r:2")
    for note in 0..<3 { score.parts[0].bars[0].voices[0].chords[0].notes[note].head = .slash }
    let notes = try fixture.engrave(score).systems[0].elements.filter { $0.role == .note }
    let boxes = notes.flatMap(\.shapes).map { fixture.box($0) }
    for (index, box) in boxes.enumerated() {
      for other in boxes[..<index] { #expect(!box.overlaps(other, tolerance: 0.15)) }
    }
  }

  @Test func `bars with several rests are joined too`() throws {
    let score = try LayoutFixture.score("C5:1|r:2 r:2|r:4 r:4 r:2|C5:1")
    #expect(try fixture.engrave(score).systems[0].measures.map(\.bars) == [0..<1, 1..<3, 3..<4])
  }

  @Test func `bars of rest are joined and counted`() throws {
    var score = try LayoutFixture.score("C5:1|r:1|r:1|r:1|C5:1")
    let system = try fixture.engrave(score).systems[0]
    let rest = try #require(system.elements.first { $0.role == .multiRest })
    #expect(rest.label == "3 bars rest" && LayoutFixture.glyphs([rest]) == [.timeSig3])
    #expect(system.measures.map(\.bars) == [0..<1, 1..<4, 4..<5])
    #expect(system.measures[1].onsets.map(\.bar) == [1, 2, 3])
    // A rehearsal mark divides them.
    score.parts[0].bars[2].marks = [Mark(offset: .zero, .rehearsal("B"))]
    #expect(try fixture.engrave(score).systems[0].measures.map(\.bars) == [0..<1, 1..<2, 2..<4, 4..<5])
    var options = Engraver.Options()
    options.collapsesRests = false
    let open = try Engraver(fonts: fixture.fonts, width: 100, options: options).engrave(score, part: 0)
    #expect(open.systems[0].measures.count == 5)
  }
}
