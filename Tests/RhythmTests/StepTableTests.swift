import MusicalTime
import Rhythm
import Testing

/// Invariants of the step table, over seeded patches of 1...64 steps.
@Suite struct StepTableTests {
  @Test(arguments: UInt64(1)...40) func tableMatchesThePatch(seed: UInt64) throws {
    let random = RandomPatch(seed: seed)
    let patch = try PatchLoader.patch(from: random.text, file: "seed.yaml")
    let table = StepTable(patch)
    #expect(table.stepCount == random.stepCount && patch.stepCount == random.stepCount, "seed \(seed)")
    for step in 0..<random.stepCount {
      for activity in 0...127 {
        let hits = table.sounding(at: Step(Int64(step)), activity: UInt8(activity))
        let notes = hits.map { Int($0.note) }
        try #require(Set(notes).count == notes.count, "seed \(seed), step \(step), activity \(activity)")
        let velocities = Dictionary(uniqueKeysWithValues: hits.map { (Int($0.note), Int($0.velocity)) })
        try #require(velocities == random.sounding(step: step, activity: activity), "seed \(seed), step \(step)")
      }
    }
  }

  @Test(arguments: UInt64(1)...40) func groupsAreNumberedFromOne(seed: UInt64) throws {
    let random = RandomPatch(seed: seed)
    let patch = try PatchLoader.patch(from: random.text, file: "seed.yaml")
    let table = StepTable(patch)
    for index in 0..<table.hitCount {
      let hit = table.hit(index)
      let voice = try #require(random.voices.first { $0.note == Int(hit.note) })
      let group = hit.group == 0 ? nil : patch.groups[Int(hit.group) - 1]
      #expect(group == (voice.group == 0 ? nil : "g\(voice.group)"), "seed \(seed)")
    }
  }

  @Test(arguments: UInt64(1)...40) func patternRepeatsInBothDirections(seed: UInt64) throws {
    let random = RandomPatch(seed: seed)
    let table = StepTable(try PatchLoader.patch(from: random.text, file: "seed.yaml"))
    let length = Int64(random.stepCount)
    var nextHit = 0
    for step in 0..<length {
      let range = table.hits(at: Step(step))
      // The ranges are contiguous: every hit belongs to one step.
      #expect(range.lowerBound == nextHit, "seed \(seed)")
      nextHit = range.upperBound
      for repetition in [-1_000_000_007, -2, -1, 1, 2, 1_000_000_007] as [Int64] {
        #expect(
          table.hits(at: Step(step + repetition * length)) == range, "seed \(seed), repetition \(repetition)")
      }
    }
    #expect(nextHit == table.hitCount, "seed \(seed)")
  }

  @Test func extremeStepsAreValid() throws {
    let table = StepTable(try ShippedPatches.patch("street"))
    // The pattern has 32 steps. 2^63 is a multiple of 32, so the first possible step begins a pattern, and the last one
    // ends it.
    #expect(table.hits(at: Step(.min)) == table.hits(at: Step(0)))
    #expect(table.hits(at: Step(.max)) == table.hits(at: Step(31)))
  }

  @Test func activityAbove127CountsAs127() throws {
    let table = StepTable(try ShippedPatches.patch("street"))
    for step in Int64(0)..<32 {
      #expect(table.count(at: Step(step), activity: 255) == table.count(at: Step(step), activity: 127))
      #expect(table.count(at: Step(step), activity: 127) == table.sounding(at: Step(step), activity: 127).count)
    }
  }

  @Test func emptyTableHasNoHits() {
    let table = StepTable()
    #expect(table.stepCount == 1 && table.hitCount == 0)
    for step in Int64(-3)...3 { #expect(table.hits(at: Step(step)).isEmpty) }
  }

  /// The clock thread gets the table as one value in a triple buffer. 512 hits of five bytes and the ranges of the
  /// steps have less than 3 KiB.
  @Test func tableFitsATripleBuffer() {
    #expect(MemoryLayout<Hit>.stride == 5)
    #expect(MemoryLayout<StepTable>.size < 3_072)
  }

  /// Three layers play one voice. On step 0, the quieter stroke sounds only below and above the range of activity of
  /// the louder one. On step 2, the adjacent ranges 10...100 and 101...127 have the same stroke and become one hit.
  @Test func louderLayerReplacesQuieterLayer() throws {
    let text = """
      name: two
      description: Two layers on one voice.
      meter: 1/4
      bars: 1
      tempo: 120
      kit: { kick: { note: 36 } }
      layers:
        - { name: plain, activity: [10, 100], steps: { kick: x.x. } }
        - { name: strong, activity: [40, 60], steps: { kick: X... } }
        - { name: more, activity: [101], steps: { kick: ..x. } }
      """
    let table = StepTable(try PatchLoader.patch(from: text, file: "two.yaml"))
    let hits = (0..<table.hitCount).map { table.hit($0) }
    #expect(hits.map(\.velocity) == [88, 120, 88, 88])
    #expect(hits.map(\.from) == [10, 40, 61, 10])
    #expect(hits.map(\.to) == [39, 60, 100, 127])
    #expect(table.hits(at: Step(0)) == 0..<3 && table.hits(at: Step(2)) == 3..<4)
  }
}
