import MusicalTime
import Testing

@testable import Rhythm

/// The properties that players expect of the instruments in `Patches/instruments`.
@Suite struct ShippedInstrumentsTests {
  @Test func folderHasFiguresAndFreeInstruments() throws {
    let instruments = try ShippedInstruments.names.map { try ShippedInstruments.instrument($0) }
    #expect(instruments.count >= 6)
    #expect(instruments.contains { $0.figure != nil } && instruments.contains { $0.figure == nil })
    // A name stands for one patch.
    #expect(Set(ShippedInstruments.names).isDisjoint(with: ShippedPatches.names))
    // Each instrument has a sound of its own.
    #expect(Set(instruments.map(\.program)).count == instruments.count)
  }

  @Test(arguments: ShippedInstruments.names) func instrumentIsDescribed(name: String) throws {
    let instrument = try ShippedInstruments.instrument(name)
    #expect(instrument.name == name && instrument.description.hasSuffix("."))
    #expect(instrument.description.count <= 100 && !instrument.description.contains("\n"))
    // All notes are white keys, so any two instruments sound well together.
    let white = Scale(tonic: 0, type: .major)
    #expect(instrument.keys.count >= 8 && instrument.keys.allSatisfy { white.contains($0) })
  }

  /// At each activity, the instrument plays four bars (384 ticks). Meanwhile, tilt and keys go from 0 to 127. The number of notes does not
  /// fall when the activity rises. A figure has at least three times as many notes at activity 127 as at 0.
  @Test(arguments: ShippedInstruments.names) func instrumentSoundsAtEveryActivity(name: String) throws {
    let instrument = try ShippedInstruments.instrument(name)
    var counts: [Int] = []
    for activity in UInt8(0)...127 {
      var run = InstrumentRun(instrument)
      run.player.controls.set(activity: activity)
      run.player.controls.set(controller: 11, to: .init(masking: activity))
      run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: Tick(0))
      for tick in Int64(0)..<384 {
        for controller in [1, 74] as [UInt8] {
          run.player.controls.set(controller: .init(masking: controller), to: .init(clamping: Int(tick) / 3))
        }
        // A free instrument plays one note per action. The actions are eighth notes.
        if instrument.figure == nil, tick % 12 == 0 {
          run.player.act(force: max(1, activity), key: UInt8(tick / 3), at: MusicalPosition(Tick(tick)))
        }
        run.advance(toTick: tick + 1)
      }
      counts.append(run.notes.count)
      // Soft notes are audible, and loud ones are not all at the limit.
      let velocities = run.notes.map(\.velocity)
      #expect(velocities.allSatisfy { $0 >= 20 } && velocities.contains { $0 < 127 }, "activity \(activity)")
    }
    #expect(counts == counts.sorted() && counts[0] >= 2, "\(counts)")
    if instrument.figure != nil { #expect(counts[127] >= 3 * counts[0], "\(counts)") }
  }
}
