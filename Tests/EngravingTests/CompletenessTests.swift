import Engraving
import Scores
import Testing

/// Whole scores at several widths: nothing is lost, nothing is drawn twice, and nothing lies on something else.
@Suite struct CompletenessTests {
  private let fixture: LayoutFixture

  init() throws { fixture = try LayoutFixture() }

  @Test(arguments: LayoutFixture.scoreFiles, [12.0, 35, 100])
  func `every note, rest and bar is drawn once`(file: String, width: Double) throws {
    let score = try LayoutFixture.file(file)
    for part in score.parts.indices {
      let engraved = try fixture.engrave(score, part: part, width: width)
      #expect(engraved.systems.flatMap(\.measures).flatMap { Array($0.bars) } == Array(score.bars.indices))
      var drawn: [UInt32: Int] = [:]
      for element in engraved.systems.flatMap(\.elements) where element.role == .note || element.role == .rest {
        if element.id != 0 { drawn[element.id, default: 0] += 1 }
      }
      let collapsed = Set(engraved.systems.flatMap(\.measures).filter { $0.bars.count > 1 }.flatMap(\.bars))
      for (index, bar) in score.parts[part].bars.enumerated() where !collapsed.contains(index) {
        for chord in bar.voices.flatMap(\.chords) where chord.isVisible {
          for id in chord.isRest ? [chord.id] : chord.notes.map(\.id) {
            #expect(drawn.removeValue(forKey: id) == 1, "bar \(index + 1)")
          }
        }
      }
      #expect(drawn.isEmpty)
    }
  }

  @Test(arguments: LayoutFixture.scoreFiles, [12.0, 35, 100])
  func `heads, accidentals, dots and syllables do not overlap`(file: String, width: Double) throws {
    let score = try LayoutFixture.file(file)
    for part in score.parts.indices {
      for system in try fixture.engrave(score, part: part, width: width).systems {
        let roles: Set<Element.Role> = [.note, .rest, .accidental, .dot, .lyric]
        var boxes: [(element: Element, box: Box)] = []
        for element in system.elements where roles.contains(element.role) && element.label != "-" {
          boxes += element.shapes.map { (element, fixture.box($0)) }
        }
        var collisions: [String] = []
        for (index, (element, box)) in boxes.enumerated() {
          for (other, second) in boxes[(index + 1)...] where box.overlaps(second, tolerance: 0.03) {
            // Voices share the heads of a unison; heads a third apart touch.
            let areHeads = element.role == .note && other.role == .note
            if areHeads, box == second || !box.overlaps(second, tolerance: 0.16) { continue }
            collisions.append("\(element.role) \(element.label), \(other.role) \(other.label)")
          }
        }
        #expect(collisions.isEmpty)
      }
    }
  }

  @Test(arguments: LayoutFixture.scoreFiles, [12.0, 35, 100])
  func `systems fill the width, and the cursor moves to the right`(file: String, width: Double) throws {
    let score = try LayoutFixture.file(file)
    for part in score.parts.indices {
      let engraved = try fixture.engrave(score, part: part, width: width)
      for (index, system) in engraved.systems.enumerated() {
        let staff = system.elements.filter { $0.role == .staff }.flatMap(\.shapes)
        let edge = staff.map { fixture.box($0).right }.max() ?? 0
        #expect(edge <= width + 0.001)
        if index + 1 < engraved.systems.count { #expect(edge > width - 0.001) }
        let onsets = system.measures.flatMap(\.onsets)
        #expect(zip(onsets, onsets.dropFirst()).allSatisfy { $0.x < $1.x })
        #expect(system.measures.allSatisfy { $0.onsets.first?.offset == .zero })
        for box in system.elements.filter({ $0.role != .tuplet }).flatMap(\.shapes).map({ fixture.box($0) }) {
          #expect(box.top > system.top - 0.05 && box.bottom < system.bottom + 0.05)
        }
      }
    }
  }

  @Test func `the same score gives the same engraving`() throws {
    let file = try #require(LayoutFixture.scoreFiles.last)
    let score = try LayoutFixture.file(file)
    let (a, b) = (try fixture.engrave(score), try fixture.engrave(score))
    #expect(a.systems.flatMap(\.elements).map(\.shapes) == b.systems.flatMap(\.elements).map(\.shapes))
  }
}
