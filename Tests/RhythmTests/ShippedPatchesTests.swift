import MusicalTime
import Rhythm
import Testing

/// The properties that musicians expect of the patches in `Patches/rhythms`.
@Suite struct ShippedPatchesTests {
  @Test func libraryHasAtLeastTwelveRhythms() { #expect(ShippedPatches.names.count >= 12) }

  /// The number of hits in eight repetitions of the pattern at `activity`. One repetition is not enough, because a stroke with a chance
  /// below 100 % sounds only in some repetitions.
  private func hits(_ table: StepTable, activity: UInt8) -> Int {
    (0..<8 * Int64(table.stepCount)).reduce(0) { $0 + table.count(at: Step($1), activity: activity) }
  }

  /// From each activity to the next, the number of hits does not fall. At activity 0, there are at least two hits per bar. At 64,
  /// there are at least one and a half times as many as at 0. At 127, there are at least one and a half times as many as at 64.
  @Test(arguments: ShippedPatches.names) func hitCountGrowsWithActivity(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    #expect(patch.name == name)
    let table = StepTable(patch)
    let counts = (UInt8(0)...127).map { hits(table, activity: $0) }
    // Two hits in each bar of the pattern give 16 hits in eight repetitions of this bar.
    #expect(counts[0] >= 16 * patch.bars)
    #expect(
      2 * counts[64] >= 3 * counts[0] && 2 * counts[127] >= 3 * counts[64], "\(counts[0]) \(counts[64]) \(counts[127])")
    for activity in 1...127 {
      #expect(counts[activity] >= counts[activity - 1], "\(counts[activity - 1]) to \(counts[activity]) at \(activity)")
    }
  }

  /// The first step of each bar sounds at every activity.
  @Test(arguments: ShippedPatches.names) func downbeatSoundsAtEveryActivity(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for activity in UInt8(0)...127 {
      for bar in 0..<Int64(patch.bars) {
        #expect(
          table.count(at: Step(bar * patch.meter.stepsPerBar), activity: activity) > 0,
          "bar \(bar), activity \(activity)")
      }
    }
  }

  /// A cut-off group is an instrument such as a pair of hi-hats, which cannot be open and closed at the same time.
  @Test(arguments: ShippedPatches.names) func cutOffGroupHasOneHitAtATime(name: String) throws {
    let table = StepTable(try ShippedPatches.patch(name))
    for step in 0..<4 * Int64(table.stepCount) {
      for activity in UInt8(0)...127 {
        // Group 0 means no cut-off group. A grace note has the same position as its main note, but sounds before it.
        let hits = table.hits(at: Step(step), activity: activity).filter { $0.group > 0 && !$0.isGrace }
        let places = hits.map { "\($0.group) at \($0.position)" }
        try #require(Set(places).count == places.count, "step \(step), activity \(activity)")
      }
    }
  }

  /// Each note is a drum of General MIDI, 35 to 81.
  @Test(arguments: ShippedPatches.names) func kitUsesGeneralMIDINotes(name: String) throws {
    for voice in try ShippedPatches.patch(name).kit { #expect((35...81).contains(voice.note), "\(voice.name)") }
  }

  @Test func streetPatchHasItsDocumentedGroove() throws {
    let patch = try ShippedPatches.patch("street")
    let table = StepTable(patch)
    #expect(patch.meter == .common && patch.bars == 2 && patch.tempo.bpm.rounded() == 104)
    // At activity 0, the first bar has a kick (36) on beats 1 and 3, and a side stick (37) on beats 2 and 4.
    let notes = (0..<Int64(16)).map { table.hits(at: Step($0), activity: 0).map(\.note) }
    for step in 0..<16 { #expect(notes[step] == [0: [36], 4: [37], 8: [36], 12: [37]][step, default: []]) }
  }
}
