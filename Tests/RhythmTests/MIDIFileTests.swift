import Foundation
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import Rhythm

/// The conversion of MIDI drum files to patches and back. At 480 ticks per quarter note, a sixteenth note has 120 ticks, and a bar of
/// 4/4 has 1920.
@Suite struct MIDIFileTests {
  typealias Event = StandardMIDIFile.Event

  /// A file with these notes on one channel, and 480 ticks per quarter note.
  private func file(
    _ notes: [(tick: Int64, key: UInt8, velocity: UInt8)], meter: (Int, Int) = (4, 4), channel: Channel = Channel(10)!,
    microsecondsPerQuarter: Int = 500_000
  ) -> StandardMIDIFile {
    var events = [
      Event(tick: 0, .meta(.init(microsecondsPerQuarter: microsecondsPerQuarter)!)),
      Event(tick: 0, .meta(.init(.init(meter.0, meter.1)!))),
    ]
    for note in notes.sorted(by: { $0.tick < $1.tick }) {
      events.append(
        Event(
          tick: note.tick,
          .message(.noteOn(channel, key: UInt7(masking: note.key), velocity: UInt7(masking: note.velocity)))))
    }
    return StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(480), tracks: [.init(events)])
  }

  /// The hits of a file with `resolution` ticks per quarter note. Each hit consists of the position in thousandths of a quarter note, the
  /// key, and the kind of stroke: 0 for a ghost note, 1 for a normal note, 2 for an accent. These strokes have the velocities 56, 88 and
  /// 120 in a patch. The limits 72 and 104 are halfway between these velocities.
  private func hits(_ file: StandardMIDIFile, resolution: Int64) -> [[Int64]] {
    file.tracks.flatMap(\.events).compactMap { event -> [Int64]? in
      guard case .message(.noteOn(let channel, let key, let velocity)) = event.content, channel.number == 10 else {
        return nil
      }
      let level: Int64 = velocity.value <= 72 ? 0 : velocity.value <= 104 ? 1 : 2
      return [event.tick * 1000 / resolution, Int64(key.value), level]
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// A file whose notes are on the grids of a patch has the same hits after import and export.
  @Test(arguments: UInt64(1)...30) func importAndExportGiveTheSameHits(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let meter = [(4, 4), (3, 4), (7, 8), (12, 8)].randomElement(using: &random)!
    let steps = Int64(meter.0 * 16 / meter.1)
    let bars = random.integer(in: 1...8)
    var notes: [(tick: Int64, key: UInt8, velocity: UInt8)] = []
    for key in [UInt8(36), 38, 42, 46, 20].shuffled(using: &random).prefix(Int(random.integer(in: 1...5))) {
      // Sixteenth notes, 120 ticks apart, or triplets of sixteenth notes, 80 ticks apart.
      let isTriplet = steps % 2 == 0 && random.integer(in: 0...3) == 0
      let distance: Int64 = isTriplet ? 80 : 120
      for position in 0..<bars * steps * 120 / distance where random.integer(in: 0...3) == 0 {
        notes.append((position * distance, key, [40, 88, 120].randomElement(using: &random)!))
      }
    }
    // The last bar must have a note, so that the import finds all bars. Key 49 is the crash cymbal.
    if !notes.contains(where: { $0.tick >= (bars - 1) * steps * 120 }) {
      notes.append(((bars - 1) * steps * 120, 49, 100))
    }
    let original = file(notes, meter: meter)
    let imported = try PatchImport(original, name: "seed")
    let patch = try PatchLoader.patch(from: imported.text, file: "seed.yaml")
    #expect(imported.noteCount == notes.count && imported.unused == 0 && imported.barCount == Int(bars))
    let exported = StandardMIDIFile(patch, tempo: patch.tempo, activity: 64, bars: Int(bars))
    #expect(hits(exported, resolution: 960) == hits(original, resolution: 480), "\(imported.text)")
    // The written file is valid.
    #expect(try StandardMIDIFile(bytes: exported.bytes()) == exported)
  }

  /// Notes up to half a grid unit away move to the grid.
  @Test func notesMoveToTheNearestPosition() throws {
    let imported = try PatchImport(file([(3, 36, 100), (118, 36, 100), (243, 36, 50)]), name: "a")
    #expect(imported.text.contains("kick: xxo. .... .... ....") && imported.barCount == 1)
  }

  /// Triplets of eighth notes are 160 ticks apart.
  @Test func tripletsBecomeTriplets() throws {
    let imported = try PatchImport(file((0..<12).map { (Int64($0) * 160, 42, 88) }), name: "a")
    #expect(imported.text.contains("hat: xxx xxx xxx xxx"))
  }

  /// A grace note 25 ms (24 ticks at 120 BPM) before its main note is a flam, and comes back as two notes.
  @Test func flamsAreRecognised() throws {
    let imported = try PatchImport(file([(456, 38, 60), (480, 38, 88), (960, 38, 40), (1_440, 38, 120)]), name: "a")
    #expect(imported.text.contains("snare: .... f... o... X...") && imported.noteCount == 4)
    let patch = try PatchLoader.patch(from: imported.text, file: "a.yaml")
    let exported = StandardMIDIFile(patch, tempo: patch.tempo, activity: 64, bars: 1)
    #expect(hits(exported, resolution: 960).map { $0[0] } == [950, 1_000, 2_000, 3_000])
  }

  /// At 97.3 BPM, a quarter note lasts 616 649.54 us.
  @Test func tempoIsRoundedToMicroseconds() throws {
    let imported = try PatchImport(file([(0, 36, 100)]), name: "a")
    let patch = try PatchLoader.patch(from: imported.text, file: "a.yaml")
    let exported = StandardMIDIFile(patch, tempo: try Tempo(bpm: 97.3), activity: 64, bars: 1)
    let tempos: [Int] = exported.tracks[0].events.compactMap { event in
      if case .meta(let meta) = event.content { meta.microsecondsPerQuarter } else { nil }
    }
    #expect(tempos == [616_650])
  }

  /// A grace note is softer than its main note. The note at tick 456 is louder than the note at 480. Both move to the position at 480, and
  /// one of them is not used.
  @Test func louderNoteIsNoGraceNote() throws {
    let imported = try PatchImport(file([(456, 38, 100), (480, 38, 88), (1_440, 38, 88)]), name: "a")
    #expect(imported.text.contains("snare: .... x... .... x...") && imported.unused == 1)
  }

  /// Kick and snare are the same in all eight bars, so their lines have one bar. The crash sounds only in the fourth bar, so its line
  /// has several bars.
  @Test func repeatedBarsAreWrittenOnce() throws {
    var notes: [(tick: Int64, key: UInt8, velocity: UInt8)] = [(1_920 * 3, 49, 120)]
    for bar in Int64(0)..<8 { notes += [(bar * 1_920, 36, 120), (bar * 1_920 + 960, 38, 88)] }
    let imported = try PatchImport(file(notes), name: "a")
    #expect(imported.text.contains("kick:  X... .... .... ....\n"))
    #expect(imported.text.components(separatedBy: "\n").first { $0.contains("crash") }?.contains("|") == true)
  }

  /// The error of an import; an empty text if there is none.
  private func message(_ file: StandardMIDIFile, firstBar: Int = 0) -> String {
    do throws(ImportError) {
      _ = try PatchImport(file, name: "a", firstBar: firstBar)
      return ""
    } catch { return "\(error)" }
  }

  /// A patch can have 20 to 999 BPM. A later tempo does not replace an impossible one.
  @Test(arguments: [(6_000_000, "10 BPM"), (50_000, "1200 BPM"), (57_143, "1050 BPM"), (16_777_215, "3.58 BPM")])
  func impossibleTempoIsRefused(duration: Int, tempo: String) throws {
    var slow = file([(0, 36, 100)], microsecondsPerQuarter: duration)
    slow.tracks[0] = .init(slow.tracks[0].events + [Event(tick: 480, .meta(.init(microsecondsPerQuarter: 500_000)!))])
    #expect(
      message(slow)
        == "its tempo is \(tempo), and a rhythm can have 20 to 999 BPM; give the tempo of the rhythm with --bpm")
    let imported = try PatchImport(slow, name: "a", tempo: try Tempo(bpm: 96))
    #expect(imported.text.contains("\ntempo: 96.0\n"))
  }

  /// The limits of the tempo themselves are imported, although a file rounds them to microseconds. A given tempo replaces that of the file,
  /// but the notes keep their positions.
  @Test func tempoOfAPatchIsChosen() throws {
    for (duration, tempo) in [(60_060, "999.0"), (3_000_000, "20.0"), (500_000, "120.0")] {
      let imported = try PatchImport(file([(0, 36, 100)], microsecondsPerQuarter: duration), name: "a")
      #expect(imported.text.contains("\ntempo: \(tempo)\n"))
      _ = try PatchLoader.patch(from: imported.text, file: "a.yaml")
    }
    let notes: [(Int64, UInt8, UInt8)] = [(0, 38, 60), (120, 38, 110), (480, 38, 60)]
    let imported = try PatchImport(file(notes), name: "a", tempo: try Tempo(bpm: 999))
    #expect(imported.text.contains("\ntempo: 999.0\n") && imported.text.contains("snare: oX.. o..."))
  }

  /// Some devices record their drums on channel 1.
  @Test func drumsOfAnotherChannelAreImported() throws {
    let drums = file([(0, 36, 100), (960, 38, 100)], channel: Channel(1)!)
    #expect(
      message(drums)
        == "the file has no notes on channel 10, only on channel 1; give the channel of the drums, such as --channel 1")
    let imported = try PatchImport(drums, name: "a", channel: Channel(1)!)
    #expect(imported.noteCount == 2 && imported.text.contains("kick:  x... .... .... ...."))
    var both = drums
    both.tracks.append(file([(0, 60, 100)], channel: Channel(3)!).tracks[0])
    both = StandardMIDIFile(format: .simultaneousTracks, division: both.division, tracks: both.tracks)
    #expect(message(both).hasPrefix("the file has no notes on channel 10, only on the channels 1, 3; "))
    // In a file of format 2, only the first track with drums is used, with its tempo.
    var tracks = [file([(0, 60, 100)], channel: Channel(3)!, microsecondsPerQuarter: 50_000).tracks[0]]
    tracks.append(file([(0, 36, 100)], channel: Channel(1)!, microsecondsPerQuarter: 600_000).tracks[0])
    let independent = StandardMIDIFile(format: .independentTracks, division: .ticksPerQuarter(480), tracks: tracks)
    #expect(try PatchImport(independent, name: "a", channel: Channel(1)!).text.contains("\ntempo: 100.0\n"))
  }

  @Test func unusableFilesAreRejected() {
    #expect(message(file([])) == "the file has no notes; give a file with drums")
    #expect(message(file([(0, 36, 100)], meter: (4, 32))).hasPrefix("the time signature 4/32 is not possible"))
    // `firstBar` counts from 0, the message counts from 1.
    #expect(message(file([(0, 36, 100)]), firstBar: 1) == "the file has only 1 bar; give --first-bar 1")
  }

  /// 25 frames of 40 ticks are a second, so at 120 BPM a quarter note has 500 ticks. In files with drop frames, 1001 frames of 80 ticks take
  /// 33.4 s.
  @Test func timesInSMPTEFramesAreConverted() throws {
    for (rate, ticksPerFrame, quarter) in [
      (StandardMIDIFile.Division.FrameRate.frames25, 40, 500.0), (.frames29, 80, 80 * 30_000 / 1001 / 2),
    ] {
      let notes = (0..<8).map { n in
        StandardMIDIFile.Event(
          tick: Int64((Double(n) * quarter).rounded()),
          .message(.noteOn(Channel(10)!, key: n % 2 == 0 ? 36 : 38, velocity: 90)))
      }
      let file = StandardMIDIFile(
        format: .singleTrack, division: .timeCode(rate, ticksPerFrame: ticksPerFrame), tracks: [.init(notes, end: 4000)]
      )
      let imported = try PatchImport(file, name: "a")
      #expect(imported.timeCodeTempo == .standard && imported.barCount == 2)
      #expect(
        imported.text.contains("kick:  x... .... x... ....") && imported.text.contains("snare: .... x... .... x..."))
    }
  }

  /// The file of a shipped patch has all hits of the drums, at low, medium and high activity.
  @Test(arguments: ShippedPatches.names) func shippedPatchesAreExported(name: String) throws {
    let patch = try ShippedPatches.patch(name)
    let table = StepTable(patch)
    for activity in [UInt8(0), 64, 127] {
      let file = StandardMIDIFile(patch, tempo: patch.tempo, activity: activity, bars: 8)
      let count = (0..<8 * patch.meter.stepsPerBar).reduce(0) { count, step in
        count + table.hits(at: Step(step), activity: activity).count { $0.part == .drums }
      }
      #expect(hits(file, resolution: 960).count == count && (try? file.bytes()) != nil)
    }
  }
}
