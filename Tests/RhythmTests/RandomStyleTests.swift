import Foundation
import MusicalTime
import Testing
import _TestSupport

@testable import Rhythm

/// Invariants of the pitched parts, over seeded styles with layers, replacements, chances, triplets, swing and holds.
@Suite struct RandomStyleTests {
  /// The text of a seeded style.
  private func text(seed: UInt64) -> String {
    var random = SplitMix(seed: seed)
    func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }
    let (meter, steps) = pick([("4/4", 16), ("3/4", 12), ("7/8", 14), ("6/8", 12), ("1/4", 4)])
    let roots = ["C", "D", "Eb", "F#", "G", "Bb"]
    func chord() -> String {
      pick(roots) + pick(ChordQuality.all).names[0] + pick(["", "", "/E", "/Ab"])
    }
    let bars = pick([1, 2, 4])
    let chords = (0..<bars).map { bar in
      (0..<pick([1, 2])).map { $0 == 0 && bar > 0 && pick([false, false, true]) ? "/" : chord() }
        .joined(separator: " ")
    }
    var text = """
      name: seed
      description: Seed \(seed).
      tempo: 120
      meter: \(meter)
      seed: \(seed)
      swing: \(pick(["50%", "62%", "75%", "75% eighths", "66.7% eighths"]))
      chords: \(chords.joined(separator: " | "))
      play: { always: { kick: \(String(repeating: "x", count: steps)) } }
      parts:

      """
    for part in Part.pitched where part == .bass || pick([true, false]) {
      let lowest = random.integer(in: 0...100)
      let highest = random.integer(in: lowest + 11...127)
      text += "  \(part.name):\n    feel: \(random.integer(in: -50...50)) ms\n"
      text +=
        "    range: \(NoteName.name(of: UInt8(lowest)))..\(NoteName.name(of: UInt8(highest)))\n"
      for layer in ["always", "from 30 to 90"] {
        text += "    \(layer):\n"
        for tone in PartTone.allCases where tone == .root || pick([true, false]) {
          let perBar = steps % 4 == 0 ? pick([steps, steps, steps * 3 / 4, steps * 3 / 2]) : steps
          let bars = pick([1, 2])
          var line: [Character] = (0..<perBar * bars).map { _ in pick(Array("...xoX---")) }
          line[0] = pick(["x", "."])
          // A hold (-) needs a note or a hold before it.
          for place in 1..<line.count where line[place] == "-" && line[place - 1] == "." {
            line[place] = "."
          }
          let strokes = stride(from: 0, to: line.count, by: perBar).map {
            String(line[$0..<$0 + perBar])
          }
          text +=
            "      \(tone.name)\(pick(["", "", "!"]))\(pick(["", "", " 50%"])): \"\(strokes.joined(separator: "|"))\"\n"
        }
      }
    }
    return text
  }

  @Test(arguments: UInt64(1)...60) func notesAreValid(seed: UInt64) throws {
    let patch = try PatchLoader.patch(from: text(seed: seed), file: "seed.yaml")
    let table = StepTable(patch)
    let ranges = Dictionary(uniqueKeysWithValues: patch.parts.map { ($0.part, $0) })
    for activity in [0, 50, 80, 127] as [UInt8] {
      // The beginning and the end of the last note or chord of the bass, in ticks.
      var (bassBegin, bassEnd) = (Int64.min, Int64.min)
      for step in Int64(-16)..<Int64(2 * patch.stepCount) {
        let hits = table.hits(at: Step(step), activity: activity).filter { $0.part != .drums }
        for hit in hits {
          let part = try #require(ranges[hit.part])
          #expect(
            part.range.contains(hit.note) && hit.program == part.program && hit.delay == part.feel)
          #expect(
            (1...127).contains(hit.velocity) && (0...6000).contains(hit.position) && !hit.isGrace)
          // The longest note has 768 ticks, eight bars of 4/4. The 12 ticks allow for its place in the step and for the swing.
          #expect(
            Int64(hit.end) * 1000 > hit.position && hit.end <= 768 + 12, "seed \(seed)")
        }
        // A part begins each key at most once at a position.
        let keys = hits.map { "\($0.part.name) \($0.note) \($0.position)" }
        #expect(Set(keys).count == keys.count, "seed \(seed), step \(step)")
        for hit in hits.filter({ $0.part == .bass }).sorted(by: { $0.position < $1.position }) {
          // Swing delays a note. A note of a line in triplets, which does not swing, can therefore begin before a note that is
          // written earlier.
          let begin = 6 * step + Int64(hit.position) / 1000
          if patch.swing == .straight { #expect(begin >= bassEnd || begin == bassBegin, "seed \(seed)") }
          bassBegin = begin
          bassEnd = 6 * step + Int64(hit.end)
        }
      }
    }
  }

  /// Every note except an approach note belongs to the chord of its step, or to the next chord if it anticipates this chord. A note
  /// anticipates a chord that begins less than a quarter note (four steps) later.
  @Test(arguments: UInt64(1)...60) func notesAreInTheirChord(seed: UInt64) throws {
    // The lines of the tone `approach` are removed.
    let text = text(seed: seed).split(separator: "\n").filter { !$0.contains("approach") }.joined(
      separator: "\n")
    let table = StepTable(try PatchLoader.patch(from: text, file: "seed.yaml"))
    for step in Int64(-16)..<Int64(table.stepCount) {
      for hit in table.hits(at: Step(step), activity: 80) where hit.part != .drums {
        // A note in triplets can begin after its step. A chord four steps later than the step is then less than a quarter note away.
        let chords = try (0...4).map { try #require(table.chord(at: Step(step + $0))) }
        let isAllowed = chords.contains { chord in
          chord.contains(hit.note) || (hit.part == .bass && hit.note % 12 == chord.bass)
        }
        #expect(isAllowed, "seed \(seed), step \(step), \(hit)")
      }
    }
  }

  /// The pattern of a style without chances repeats in both directions, and does not depend on the order of the steps.
  @Test(arguments: UInt64(1)...30) func patternRepeats(seed: UInt64) throws {
    let text = text(seed: seed).replacingOccurrences(of: " 50%:", with: " 100%:")
    let table = StepTable(try PatchLoader.patch(from: text, file: "seed.yaml"))
    let length = Int64(table.stepCount)
    for step in (0..<length).reversed() {
      let hits = table.hits(at: Step(step), activity: 70)
      for repetition in [-1_000_000_007, -1, 1, 1_000_000_007] as [Int64] {
        #expect(
          table.hits(at: Step(step + repetition * length), activity: 70) == hits, "seed \(seed)")
      }
    }
  }
}
