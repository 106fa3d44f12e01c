import MusicalTime
import Rhythm
import Testing

/// The properties that musicians expect of the patches in `Patches/`.
@Suite struct ShippedPatchesTests {
  @Test func patchesFolderContainsTheNamedPatches() throws {
    #expect(try ShippedPatches.filesInFolder().sorted() == ShippedPatches.names.sorted())
  }

  /// The number of hits in the pattern at `activity`.
  private func hits(_ table: StepTable, activity: UInt8) -> Int {
    (0..<Int64(table.stepCount)).reduce(0) { $0 + table.count(at: Step($1), activity: activity) }
  }

  /// The number of hits never falls with the activity. At activity 0, there are at least four hits per bar. At 64,
  /// there are at least twice as many as at 0. At 127, there are at least one and a half times as many as at 64.
  @Test(arguments: ShippedPatches.names) func hitCountGrowsWithActivity(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    #expect(patch.name == name)
    let table = StepTable(patch)
    let counts = (UInt8(0)...127).map { hits(table, activity: $0) }
    #expect(counts[0] >= 4 * patch.bars)
    #expect(counts[64] >= 2 * counts[0] && counts[127] >= 3 * counts[64] / 2)
    for activity in 1...127 { #expect(counts[activity] >= counts[activity - 1], "activity \(activity)") }
  }

  /// The first step of each bar has an accented kick: note 36 with velocity 120.
  @Test(arguments: ShippedPatches.names) func downbeatSoundsAtEveryActivity(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for activity in UInt8(0)...127 {
      for bar in 0..<Int64(patch.bars) {
        let downbeat = table.sounding(at: Step(bar * patch.meter.stepsPerBar), activity: activity)
        #expect(downbeat.contains { $0.note == 36 && $0.velocity == 120 }, "bar \(bar), activity \(activity)")
      }
    }
  }

  /// At full activity, at most one step of the pattern is silent.
  @Test(arguments: ShippedPatches.names) func fullActivityPlaysSixteenths(name: String) throws {
    let table = StepTable(try ShippedPatches.patch(name))
    let rests = (0..<Int64(table.stepCount)).filter { table.count(at: Step($0), activity: 127) == 0 }
    #expect(rests.count <= 1)
  }

  /// A cut-off group is an instrument such as a pair of hi-hats, which cannot be open and closed at the same time.
  @Test(arguments: ShippedPatches.names) func cutOffGroupHasOneHitPerStep(name: String) throws {
    let table = StepTable(try ShippedPatches.patch(name))
    for step in 0..<Int64(table.stepCount) {
      for activity in UInt8(0)...127 {
        let groups = table.sounding(at: Step(step), activity: activity).map(\.group).filter { $0 > 0 }
        #expect(Set(groups).count == groups.count, "step \(step), activity \(activity)")
      }
    }
  }

  /// Each note is a drum of General MIDI, 35 to 81. The hi-hats 42, 44 and 46 are in the group "hats", and no other
  /// voice is in a group.
  @Test(arguments: ShippedPatches.names) func kitUsesGeneralMIDINotes(name: String) throws {
    for voice in try ShippedPatches.patch(name).kit {
      #expect((35...81).contains(voice.note), "\(voice.name)")
      #expect(([42, 44, 46].contains(voice.note) ? "hats" : nil) == voice.group, "\(voice.name)")
    }
  }

  @Test func streetPatchHasItsDocumentedGroove() throws {
    let patch = try ShippedPatches.patch("street")
    let table = StepTable(patch)
    #expect(patch.meter == .common && patch.bars == 2 && patch.tempo.bpm.rounded() == 104)
    // At activity 0, the first bar has a kick (36) on beats 1 and 3, and a side stick (37) on beats 2 and 4.
    let notes = (0..<Int64(16)).map { table.sounding(at: Step($0), activity: 0).map(\.note) }
    for step in 0..<16 { #expect(notes[step] == [0: [36], 4: [37], 8: [36], 12: [37]][step, default: []]) }
  }
}
