import MusicalTime
import Rhythm
import Testing
import _TestSupport

/// Loads the shipped patches with random damage. The result must be a rhythm or an instrument that plays, or faults with their
/// positions.
@Suite struct LoaderFuzzTests {
  /// `text` with one to three random changes: bits flipped, special characters of YAML written over a byte or inserted, the end
  /// cut off, lines removed, duplicated or swapped.
  private func damage(_ text: String, _ random: inout SplitMix) -> String {
    var bytes = Array(text.utf8)
    let signs = Array("[]{}:,-?&*!|>'\"%@`#\t\n \u{7F}.oxX0".utf8) + [0x00, 0xC3, 0xFF]
    for _ in 0..<random.integer(in: 1...3) {
      let place = Int(random.integer(in: 0...Int64(bytes.count)))
      // If the condition of a case does not hold, the default applies.
      switch random.integer(in: 0...5) {
      case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.integer(in: 0...7))
      case 1 where place < bytes.count: bytes[place] = signs.randomElement(using: &random)!
      case 2: bytes.insert(signs.randomElement(using: &random)!, at: place)
      case 3 where random.integer(in: 0...3) == 0: bytes.removeSubrange(place...)
      default:
        // 10 is the line feed.
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let line = Int(random.integer(in: 0...Int64(lines.count - 1)))
        switch random.integer(in: 0...2) {
        case 0: lines.remove(at: line)
        case 1: lines.insert(lines[line], at: line)
        default: lines.swapAt(line, Int(random.integer(in: 0...Int64(lines.count - 1))))
        }
        bytes = Array(lines.joined(separator: [10]))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: ShippedPatches.names) func damagedPatchLoadsOrReportsLines(name: String) throws {
    let text = try ShippedPatches.text(name)
    var (loaded, rejected) = (0, 0)
    for seed in UInt64(1)...400 {
      var random = SplitMix(seed: seed)
      let damaged = damage(text, &random)
      do throws(PatchError) {
        let patch = try PatchLoader.patch(from: damaged, file: name)
        loaded += 1
        let table = StepTable(patch)
        for step in 0..<Int64(patch.stepCount) { _ = table.count(at: Step(step), activity: 127) }
        #expect(table.stepCount == patch.stepCount, "seed \(seed)")
      } catch {
        rejected += 1
        check(error, damaged, seed: seed)
      }
    }
    // Damage in comments and strokes is accepted, other damage is rejected. The 400 seeds must cover both.
    #expect(loaded > 20 && rejected > 200, "\(loaded) loaded, \(rejected) rejected")
  }

  @Test(arguments: ShippedInstruments.names) func damagedInstrumentLoadsOrReportsLines(name: String) throws {
    let text = try ShippedInstruments.text(name)
    var (loaded, rejected) = (0, 0)
    for seed in UInt64(1)...400 {
      var random = SplitMix(seed: seed)
      let damaged = damage(text, &random)
      do throws(PatchError) {
        let instrument = try InstrumentLoader.instrument(from: damaged, file: name)
        loaded += 1
        var run = InstrumentRun(instrument)
        run.move(to: MusicalPosition(milliticks: 0), rhythmFrom: Tick(0))
        run.player.act(force: 64, at: MusicalPosition(milliticks: 0))
        // Four bars of 4/4.
        run.advance(toTick: 384)
      } catch {
        rejected += 1
        check(error, damaged, seed: seed)
      }
    }
    // The 400 seeds must cover both results.
    #expect(loaded > 30 && rejected > 150, "\(loaded) loaded, \(rejected) rejected")
  }

  /// Checks that each fault has a position in the text, a reason and a remedy, and that its description is one line.
  private func check(_ error: PatchError, _ text: String, seed: UInt64) {
    // The number of lines. A line end at the end of the text begins no further line.
    let lines = 1 + text.count { $0.isNewline } - (text.last?.isNewline == true ? 1 : 0)
    #expect(!error.faults.isEmpty, "seed \(seed)")
    for fault in error.faults {
      #expect((1...max(lines, 1)).contains(fault.line), "seed \(seed): \(fault)")
      #expect(fault.column >= 1 && !fault.reason.isEmpty && !fault.remedy.isEmpty, "seed \(seed): \(fault)")
      #expect(!fault.description.contains { $0.isNewline }, "seed \(seed): \(fault)")
    }
  }
}
