import MIDI
import MusicalTime
import Testing

@testable import Rhythm

/// The properties that musicians expect of the styles in `Patches/rhythms`.
@Suite struct ShippedStylesTests {
  /// The patches with pitched parts.
  static let names = ShippedPatches.names.filter { (try? ShippedPatches.patch($0))?.parts.isEmpty == false }

  @Test func libraryHasStylesInSeveralMeters() throws {
    let styles = try Self.names.map { try ShippedPatches.patch($0) }
    #expect(styles.count >= 4 && Set(styles.map(\.meter)).count >= 3)
    #expect(Set(styles.compactMap { $0.parts.first?.program }).count >= 3)
  }

  @Test(arguments: names) func styleHasAllParts(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    // A patch of more than 32 KiB is not shared with the followers.
    #expect(patch.parts.map(\.part) == Part.pitched && patch.text.utf8.count < 32_768)
    let chords = try #require(patch.chords)
    #expect(Set(chords.changes.map(\.chord)).count >= 4)
  }

  /// The number of notes of each part does not fall when the activity rises. All parts sound at activity 64, and have more notes at 126.
  /// The bass also sounds at 0.
  @Test(arguments: names) func partsGrowWithActivity(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for part in Part.pitched {
      let counts = stride(from: UInt8(0), through: 126, by: 2).map { activity in
        table.notes(part, 0..<Int64(patch.stepCount), activity: activity).count
      }
      // `counts[32]` is the count at activity 64, and `counts[63]` that at 126.
      #expect(counts == counts.sorted() && counts[32] > 0 && counts[63] > counts[32], "\(part): \(counts)")
      if part == .bass { #expect(counts[0] > 0) }
    }
  }

  /// If the bass begins a note with a chord, this note belongs to the chord.
  @Test(arguments: names) func bassBeginsWithTheChord(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for change in try #require(patch.chords).changes {
      let step = Int64(change.step)
      let notes = table.notes(.bass, step..<step + 1, activity: 127)
      #expect(notes.allSatisfy { $0.key % 12 == change.chord.bass || change.chord.tones.contains($0.key) })
    }
  }

  /// The exported file has a track and a channel for each part, and every note ends. The first track contains tempo and meter, and the
  /// second track the drums.
  @Test(arguments: names) func styleIsExported(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let file = StandardMIDIFile(patch, tempo: patch.tempo, activity: 100, bars: patch.bars)
    #expect(file.tracks.count == 5)
    for (track, part) in zip(file.tracks.dropFirst(2), patch.parts) {
      var sounding: Set<UInt8> = []
      for case .message(let message) in track.events.map(\.content) {
        #expect(message.channel == Channel(wire: part.part.rawValue))
        switch message {
        case .programChange(_, let program): #expect(program.value == part.program)
        case .noteOn(_, let key, _): #expect(sounding.insert(key.value).inserted)
        case .noteOff(_, let key, _): #expect(sounding.remove(key.value) != nil)
        default: Issue.record("\(message)")
        }
      }
      #expect(sounding.isEmpty && track.events.count > 16)
    }
    #expect(try StandardMIDIFile(bytes: file.bytes()) == file)
  }
}
