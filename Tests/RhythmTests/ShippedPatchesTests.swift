import MusicalTime
import Rhythm
import Testing

/// What musicians may expect of the patches in `Patches/`.
@Suite struct ShippedPatchesTests {
  @Test func theyAreThree() throws {
    #expect(try ShippedPatches.filesInFolder().sorted() == ShippedPatches.names.sorted())
  }

  private func hits(_ table: StepTable, activity: UInt8) -> Int {
    (0..<Int64(table.stepCount)).reduce(0) { $0 + table.count(at: Step($1), activity: activity) }
  }

  @Test(arguments: ShippedPatches.names) func moreActivityMeansMoreHits(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    #expect(patch.name == name)
    let table = StepTable(patch)
    let counts = (UInt8(0)...127).map { hits(table, activity: $0) }
    #expect(counts[0] >= 4 * patch.bars)
    #expect(counts[64] >= 2 * counts[0] && counts[127] >= 3 * counts[64] / 2)
    for activity in 1...127 { #expect(counts[activity] >= counts[activity - 1], "activity \(activity)") }
  }

  @Test(arguments: ShippedPatches.names) func theDownbeatIsAlwaysHeard(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for activity in UInt8(0)...127 {
      for bar in 0..<Int64(patch.bars) {
        let downbeat = table.sounding(at: Step(bar * patch.meter.stepsPerBar), activity: activity)
        #expect(downbeat.contains { $0.note == 36 && $0.velocity == 120 }, "bar \(bar), activity \(activity)")
      }
    }
  }

  /// At full activity sixteenths run through: no two steps in a row rest.
  @Test(arguments: ShippedPatches.names) func fullActivityPlaysSixteenths(name: String) throws {
    let table = StepTable(try ShippedPatches.patch(name))
    let rests = (0..<Int64(table.stepCount)).filter { table.count(at: Step($0), activity: 127) == 0 }
    #expect(rests.count <= 1)
  }

  /// One pair of hi-hats cannot be open and closed at once.
  @Test(arguments: ShippedPatches.names) func aCutOffGroupStrikesOnceAStep(name: String) throws {
    let table = StepTable(try ShippedPatches.patch(name))
    for step in 0..<Int64(table.stepCount) {
      for activity in UInt8(0)...127 {
        let groups = table.sounding(at: Step(step), activity: activity).map(\.group).filter { $0 > 0 }
        #expect(Set(groups).count == groups.count, "step \(step), activity \(activity)")
      }
    }
  }

  /// Every hat is in one group, and every note is one General MIDI names.
  @Test(arguments: ShippedPatches.names) func theKitIsGeneralMIDI(name: String) throws {
    for voice in try ShippedPatches.patch(name).kit {
      #expect((35...81).contains(voice.note), "\(voice.name)")
      #expect(([42, 44, 46].contains(voice.note) ? "hats" : nil) == voice.group, "\(voice.name)")
    }
  }

  @Test func streetIsTheGrooveItSaysItIs() throws {
    let patch = try ShippedPatches.patch("street")
    let table = StepTable(patch)
    #expect(patch.meter == .common && patch.bars == 2 && patch.tempo.bpm.rounded() == 104)
    let beat = (0..<Int64(16)).map { table.sounding(at: Step($0), activity: 0).map(\.note) }
    for step in 0..<16 { #expect(beat[step] == [0: [36], 4: [37], 8: [36], 12: [37]][step, default: []]) }
  }
}
