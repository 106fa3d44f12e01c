import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import Rhythm

/// Invariants of the instrument player, over seeded instruments, controls, actions, and rhythms that begin, end and jump.
/// ``InstrumentRun`` checks each event.
@Suite struct InstrumentPropertyTests {
  @Test(arguments: UInt64(1)...40) func eventsAreValid(seed: UInt64) throws {
    let instrument = try InstrumentLoader.instrument(from: RandomInstrument(seed: seed).text, file: "seed.yaml")
    let quantizer = instrument.quantizer
    var random = SplitMix(seed: seed)
    var run = InstrumentRun(instrument, at: MusicalPosition(milliticks: 0))
    var present = MusicalPosition(milliticks: 0)
    var isInRhythm = false
    var (placed, dropped) = (0, 0)
    for _ in 0..<1_000 {
      present = present + random.integer(in: 0...3_000)
      switch random.integer(in: 0...19) {
      case 0...5:
        let placement = run.player.act(
          force: UInt8(random.integer(in: 1...127)), key: UInt8(random.integer(in: 0...127)), at: present)
        let expected = isInRhythm ? quantizer.placement(of: present) : .atOnce
        if isInRhythm && instrument.figure != nil {
          // The figure plays the notes. The action only sets the controls.
          #expect(placement == nil)
        } else if let placement {
          #expect(placement == expected)
          placed += 1
        } else {
          // Too many notes are waiting.
          dropped += 1
        }
      case 6...9:
        run.player.controls.set(
          controller: UInt7(masking: [1, 74, 11, 20].randomElement(using: &random)!),
          to: UInt7(clamping: Int(random.integer(in: 0...127))))
      case 10...12: run.player.controls.set(activity: UInt8(random.integer(in: 0...127)))
      case 13 where random.integer(in: 0...9) == 0:
        run.advance(to: present)
        isInRhythm = random.integer(in: 0...1) == 0
        present = MusicalPosition(milliticks: random.integer(in: -1_000_000...1_000_000))
        run.move(to: present, rhythmFrom: isInRhythm ? present.tick : nil)
      case 14 where random.integer(in: 0...19) == 0: run.player.silence()
      // The horizon is at most half a tick ahead of the present, as ``InstrumentRun`` requires.
      default: run.advance(to: present + random.integer(in: 0...500))
      }
    }
    // Each note ends.
    run.move(to: present, rhythmFrom: nil)
    run.advance(to: present + 1_000_000)
    #expect(run.sounding.isEmpty && run.player.soundingCount == 0 && run.player.nextPosition == nil)
    #expect(run.player.droppedNotes == dropped)
    // No action sounds twice: a free instrument has at most one note per action.
    if instrument.figure == nil { #expect(run.notes.count <= placed) }
  }

  /// Each action takes place after the note of the action before. Each action then has exactly one note, at the position that
  /// `act` returned.
  @Test(arguments: UInt64(1)...30) func everyActionSoundsOnceWhereItWasPlaced(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let grid = NoteValue.grids.randomElement(using: &random)!
    let instrument = try makeInstrument(
      "scale: chromatic, C2..C7\npitch: key\ngrid: \(grid.name), late \(random.integer(in: 0...100))%")
    var run = InstrumentRun(instrument)
    run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: Tick(0))
    var present = MusicalPosition(milliticks: 0)
    for index in 0..<200 {
      // The keys 36 to 96 are the range of the instrument.
      present = present + random.integer(in: 1...30_000)
      let count = run.notes.count
      let placement = run.player.act(force: 100, key: UInt8(36 + index % 61), at: present)
      run.advance(to: present)
      switch placement {
      case .atOnce:
        #expect(run.notes.count == count + 1 && run.notes.last?.event.position == present, "seed \(seed)")
      case .onLine(let tick):
        #expect(run.notes.count == count && MusicalPosition(tick) > present, "seed \(seed)")
        // The next action takes place after this line.
        present = MusicalPosition(tick) + 1
        run.advance(to: present)
        #expect(run.notes.count == count + 1 && run.notes.last?.event.position == MusicalPosition(tick), "seed \(seed)")
      case nil: Issue.record("no note, seed \(seed)")
      }
    }
  }

  /// The events do not depend on the horizons up to which the caller asks for them.
  @Test(arguments: UInt64(1)...30) func horizonsDoNotChangeTheFigure(seed: UInt64) throws {
    let instrument = try InstrumentLoader.instrument(from: RandomInstrument(seed: seed).text, file: "seed.yaml")
    var random = SplitMix(seed: seed)
    var (once, often) = (InstrumentRun(instrument), InstrumentRun(instrument))
    for run in 0...1 {
      let start = MusicalPosition(milliticks: -5_000)
      if run == 0 { once.move(to: start, rhythmFrom: Tick(0)) } else { often.move(to: start, rhythmFrom: Tick(0)) }
    }
    once.advance(toTick: 960)
    var horizon = MusicalPosition(milliticks: -5_000)
    while horizon < MusicalPosition(Tick(960)) {
      often.advance(to: horizon)
      horizon = horizon + random.integer(in: 0...7_000)
    }
    often.advance(toTick: 960)
    #expect(
      once.events == often.events && once.ticks.allSatisfy { $0 >= 0 && $0 % instrument.quantizer.grid.ticks == 0 })
  }

  /// A higher density adds notes to the figure and removes none.
  @Test(arguments: UInt64(1)...30) func figureGrowsWithDensity(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let units = (0..<random.integer(in: 0...63)).map { _ in Array("..oxX35").randomElement(using: &random)! }
    let instrument = try makeInstrument("scale: C major, C2..C5\nfigure: x\(String(units))\ndensity: activity")
    var previous: Set<Int64> = []
    for activity in UInt8(0)...127 {
      var run = InstrumentRun(instrument)
      run.player.controls.set(activity: activity)
      run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: Tick(0))
      run.advance(toTick: 6 * Int64(units.count + 1))
      let ticks = Set(run.ticks)
      #expect(ticks.isSuperset(of: previous) && (activity > 0 || ticks.count == 1), "seed \(seed)")
      previous = ticks
    }
    #expect(previous.count == instrument.figure?.noteCount, "seed \(seed)")
  }
}
