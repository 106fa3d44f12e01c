import MusicalTime
import Rhythm
import Testing

/// Invariants of the step table, over seeded patches.
@Suite struct StepTableTests {
  /// The hits of the table are those of the model ``RandomPatch``: position in thousandths of a tick, note and velocity.
  @Test(arguments: UInt64(1)...40) func tableMatchesThePatch(seed: UInt64) throws {
    let random = RandomPatch(seed: seed)
    let patch = try PatchLoader.patch(from: random.text, file: "seed.yaml")
    let table = StepTable(patch)
    #expect(table.stepCount == random.stepCount && patch.stepCount == random.stepCount, "seed \(seed)")
    for step in 0..<random.stepCount {
      for activity in [0, 1, 40, 64, 90, 126, 127] {
        var expected: [[Int]] = []
        for tick in 6 * step..<6 * step + 6 {
          for (note, velocity) in random.sounding(tick: tick, activity: activity) {
            expected.append([(tick - 6 * step) * 1000, note, velocity])
          }
        }
        let hits = table.hits(at: Step(Int64(step)), activity: UInt8(activity))
        let seen = hits.map { [Int($0.position), Int($0.note), Int($0.velocity)] }
        try #require(
          seen.sorted { $0.lexicographicallyPrecedes($1) } == expected.sorted { $0.lexicographicallyPrecedes($1) },
          "seed \(seed), step \(step), activity \(activity)")
      }
    }
  }

  @Test(arguments: UInt64(1)...40) func patternRepeatsInBothDirections(seed: UInt64) throws {
    let random = RandomPatch(seed: seed)
    let table = StepTable(try PatchLoader.patch(from: random.text, file: "seed.yaml"))
    let length = Int64(random.stepCount)
    for step in 0..<length {
      let hits = table.hits(at: Step(step), activity: 100)
      for repetition in [-1_000_000_007, -2, -1, 1, 2, 1_000_000_007] as [Int64] {
        #expect(
          table.hits(at: Step(step + repetition * length), activity: 100) == hits,
          "seed \(seed), repetition \(repetition)")
      }
    }
  }

  @Test func extremeStepsAreValid() throws {
    let table = StepTable(try ShippedPatches.patch("street"))
    // The pattern has 32 steps. 2^63 is a multiple of 32, so the first possible step begins a pattern, and the last possible
    // step ends one. At activity 0, no stroke of the patch depends on a chance, and no fill sounds.
    #expect(table.hits(at: Step(.min), activity: 0) == table.hits(at: Step(0), activity: 0))
    #expect(table.hits(at: Step(.max), activity: 0) == table.hits(at: Step(31), activity: 0))
  }

  @Test func activityAbove127CountsAs127() throws {
    let table = StepTable(try ShippedPatches.patch("street"))
    for step in Int64(0)..<32 {
      #expect(table.hits(at: Step(step), activity: 255) == table.hits(at: Step(step), activity: 127))
    }
  }

  @Test func emptyTableHasNoHits() {
    let table = StepTable()
    #expect(table.stepCount == 1 && table.maximumPush == .zero)
    for step in Int64(-3)...3 { #expect(table.count(at: Step(step), activity: 127) == 0) }
  }

  /// The clock thread gets the table as one value through a triple buffer, which holds three copies. ``StepTable`` states a size of
  /// about 9 KB.
  @Test func tableFitsATripleBuffer() { #expect(MemoryLayout<StepTable>.size < 10_240) }

  /// Three layers play one voice. On step 0, the quieter stroke (velocity 88) sounds only outside the range of the louder one (120).
  @Test func louderLayerMasksQuieterLayer() throws {
    let table = try makeTable(
      """
      meter: 1/4
      swell: 0%
      play:
        from 10 to 100: { kick: x.x. }
        from 40 to 60: { kick: X... }
        from 101: { kick: ..x. }
      """)
    let velocities = [9, 10, 39, 40, 60, 61, 100, 101].map { activity in
      table.hits(at: Step(0), activity: activity).map(\.velocity)
    }
    #expect(velocities == [[], [88], [88], [120], [120], [88], [88], []])
    #expect([9, 10, 100, 101].map { table.hits(at: Step(2), activity: $0).map(\.velocity) } == [[], [88], [88], [88]])
  }

  /// A line marked with ! replaces the lines of its voice above it, also where it has rests, but not those below it.
  @Test func markedLineReplacesTheLinesAboveIt() throws {
    let table = try makeTable(
      """
      meter: 1/4
      play:
        always: { hat: xxxx, kick: x... }
        from 50: { hat!: x... }
        from 90: { hat: ...x }
      """)
    func notes(_ activity: UInt8) -> [[UInt8]] {
      (Int64(0)..<4).map { table.hits(at: Step($0), activity: activity).map(\.note) }
    }
    #expect(notes(49) == [[42, 36], [42], [42], [42]])
    #expect(notes(50) == [[36, 42], [], [], []])
    #expect(notes(90) == [[36, 42], [], [], [42]])
  }

  /// The velocity of an accent is 120. It rises from 80 % to 100 % over the range of the layer, with the default swell of 20 %.
  @Test func velocityFollowsTheActivityWithinALayer() throws {
    let table = try makeTable("meter: 1/4\nplay: { from 27: { kick: X... } }")
    let velocities = [UInt8(27), 77, 127].map { table.hits(at: Step(0), activity: $0)[0].velocity }
    #expect(velocities == [96, 108, 120])
  }

  /// Hits at 3 and 6 strokes per quarter note, as thousandths of a tick after their step.
  @Test func tripletsAreBetweenTheSteps() throws {
    let table = try makeTable("meter: 1/4\nplay: { always: { kick: xxx, hat: xxxxxx } }")
    func positions(_ note: UInt8) -> [[Int32]] {
      (Int64(0)..<4).map { table.hits(at: Step($0), activity: 0).filter { $0.note == note }.map(\.position) }
    }
    // Ticks 0, 8 and 16; and ticks 0, 4, 8, 12, 16 and 20.
    #expect(positions(36) == [[0], [2000], [4000], []])
    #expect(positions(42) == [[0, 4000], [2000], [0, 4000], [2000]])
  }
}
