import MIDI
import ScoreFiles
import Scores
import Testing

@Suite struct MIDIScoreReaderTests {
  private let channel = Channel(1)!

  /// Notes of one length that follow each other, from a tick on.
  private func row(_ count: Int, _ length: Int64, from start: Int64, key: Int) -> [(Int64, Int64, Int)] {
    var notes: [(Int64, Int64, Int)] = []
    for index in 0..<count {
      let onset = start + Int64(index) * length
      notes.append((onset, onset + length, key + index))
    }
    return notes
  }

  /// Reads a file with 480 ticks per quarter note and the notes (start, end, key), after the given meta events.
  private func read(
    _ notes: [(Int64, Int64, Int)], _ meta: [StandardMIDIFile.Event] = [], channel: Channel? = nil
  ) throws -> ScoreImport {
    let channel = channel ?? self.channel
    var events = meta
    for (start, end, key) in notes {
      events.append(.init(tick: start, .message(.noteOn(channel, key: UInt7(clamping: key), velocity: 80))))
      events.append(.init(tick: end, .message(.noteOff(channel, key: UInt7(clamping: key), velocity: 0))))
    }
    events = events.enumerated().sorted { ($0.element.tick, $0.offset) < ($1.element.tick, $1.offset) }.map(\.element)
    let file = StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(480), tracks: [.init(events)])
    return try ScoreImport(octets: file.bytes(), file: "test.mid")
  }

  /// Notes that a person played, up to 1/24 quarter note beside the beat, become the simplest rhythm.
  @Test func playedNotesMoveToTheGrid() throws {
    let score = try read([(5, 470, 60), (492, 700, 62), (705, 950, 64), (955, 1900, 65)]).score
    #expect(score.notes() == ["0:60:1", "1:62:1/2", "3/2:64:1/2", "2:65:2"])
  }

  /// Exact tuplets keep their division, also where it is close to a simpler one.
  @Test func exactTupletsAreKept() throws {
    let (fives, threes) = (row(5, 96, from: 0, key: 60), row(3, 160, from: 480, key: 70))
    let score = try read(fives + threes).score
    #expect(score.notes().map { $0.split(separator: ":")[0] } == ["0", "1/5", "2/5", "3/5", "4/5", "1", "4/3", "5/3"])
    let ratios = score.parts[0].bars[0].voices[0].chords.filter { !$0.isRest }.map { $0.ratio?.actual }
    #expect(ratios == [5, 5, 5, 5, 5, 3, 3, 3])
  }

  /// A note over a bar line becomes two tied notes, and is one note when it is played.
  @Test func notesOverBarLinesAreTied() throws {
    let score = try read([(1440, 2400, 60)]).score
    #expect(score.bars.count == 2 && score.notes() == ["3:60:1", "4:60:1"])
    #expect(EventTable(score, along: try Route(score)).events.count == 1)
  }

  @Test func barsFollowTheTimeSignatures() throws {
    let meta: [StandardMIDIFile.Event] = [
      .init(tick: 0, .meta(.init(.init(7, 8)!))), .init(tick: 1680, .meta(.init(.init(3, 4)!))),
      .init(tick: 1680, .meta(.init(microsecondsPerQuarter: 400_000)!)),
    ]
    let score = try read([(0, 240, 60), (1680, 2160, 60), (3120, 3600, 62)], meta).score
    #expect(score.bars.map(\.length) == [Fraction(7, 2)!, Fraction(3), Fraction(3)])
    #expect(score.bars.map { $0.metre?.description } == ["7/8", "3/4", nil])
    #expect(score.tempoMarks.map(\.content) == [.tempo(150_000)] && score.tempoMarks.map(\.bar) == [1])
  }

  /// Chords, overlapping voices and rests: every bar is full.
  /// A score can have 5 to 2000 quarter notes per minute.
  @Test func impossibleTempoIsReported() throws {
    let result = try read([(0, 480, 60)], [.init(tick: 0, .meta(.init(microsecondsPerQuarter: 20_000)!))])
    #expect(result.score.tempoMarks.isEmpty)
    #expect(
      result.findings.map(\.description) == ["test.mid:1: a tempo of 3000 quarter notes per minute; it is left out"])
  }

  @Test func voicesAndRests() throws {
    let score = try read([(0, 960, 60), (0, 960, 64), (480, 1440, 72), (1440, 1920, 59)]).score
    let bar = score.parts[0].bars[0]
    #expect(bar.voices.count == 2 && bar.voices[0].chords[0].notes.count == 2)
    #expect(try bar.voices[0].chords.reduce(Fraction.zero) { try $0 + $1.length } == Fraction(4))
  }

  /// The spelling follows the key signature (FF 59).
  @Test func keysDecideTheSpelling() throws {
    func names(_ sharps: Int8) throws -> [String] {
      let meta = StandardMIDIFile.Event(tick: 0, .meta(.init(type: 0x59, bytes: [UInt8(bitPattern: sharps), 0])))
      let score = try read(row(12, 480, from: 0, key: 60), [meta]).score
      var names: [String] = []
      for chord in score.parts[0].bars.flatMap(\.voices).flatMap(\.chords) {
        for note in chord.notes { if case .pitch(let pitch) = note.sound { names.append(pitch.description) } }
      }
      return names
    }
    #expect(try names(0) == ["C4", "C#4", "D4", "Eb4", "E4", "F4", "F#4", "G4", "G#4", "A4", "Bb4", "B4"])
    #expect(try names(-4)[1] == "Db4" && names(-4)[3] == "Eb4" && names(-4)[6] == "Gb4")
    #expect(try names(5)[3] == "D#4" && names(5)[10] == "A#4")
  }

  @Test func drumsBecomeStrokes() throws {
    let score = try read([(0, 60, 36), (480, 540, 42)], channel: Channel(10)!).score
    #expect(score.parts[0].isPercussion && score.parts[0].instruments.map(\.key) == [36, 42])
    #expect(EventTable(score, along: try Route(score)).events.map(\.key) == [36, 42])
  }

  @Test func othersAreRefused() throws {
    let frames = StandardMIDIFile(
      format: .singleTrack, division: .timeCode(.frames25, ticksPerFrame: 40), tracks: [.init()])
    let empty = StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(480), tracks: [.init()])
    for (file, reason) in [(frames, "counts frames of film"), (empty, "has no notes")] {
      let octets = try file.bytes()
      let fault = #expect(throws: ScoreFault.self) { try ScoreImport(octets: octets, file: "x.mid") }
      #expect(fault?.description.contains(reason) == true)
    }
  }

  /// What a score plays with its usual gaps is read with the printed lengths.
  @Test func gapsOfArticulationAreNoRests() throws {
    let score = try read([(0, 450, 60), (480, 1380, 62), (1440, 1890, 64), (1920, 2820, 65), (2880, 3780, 67)]).score
    #expect(score.notes() == ["0:60:1", "1:62:2", "3:64:1", "4:65:2", "6:67:2"])
  }
}
