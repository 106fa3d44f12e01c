import MIDI
import MusicalTime
import Testing

@testable import Engine

/// Tests of the positions of events in a MIDI recording, in virtual time. ``RecordingScript`` adds the events.
@Suite struct RecordingPlacementTests {
  private let unit = RecordingScript.unit
  private let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
  private let end = Message.noteOff(Channel(2)!, key: 60, velocity: 64)

  /// The position of a note between two ticks is interpolated, and rounded to a unit. A tick takes 20 ms and has 160 units, so 5 ms are 40
  /// units, and 479.9999 ms are rounded to tick 24.
  @Test func notesAreBetweenTheTicksOfTheRhythm() {
    var script = RecordingScript()
    script.add(note, at: 20)
    script.add(end, at: 25)
    script.add(note, player: 1, at: 479.9999)
    script.add(end, player: 1, at: 483)
    script.play(0..<96, from: 0)
    script.finish()
    let file = script.recording.file
    #expect(file.messages(ofTrack: 2).map(\.tick) == [unit, unit + 40])
    #expect(file.messages(ofTrack: 3).map(\.tick) == [24 * unit, 24 * unit + 24])
    #expect(file.tempos == [[0, 480_000]] && file.meters == [[0, 4, 4]])
    #expect(file.tracks.allSatisfy { $0.end == 95 * unit })
  }

  /// The instants of a follower's ticks deviate from the tempo of the rhythm. The positions of notes follow the ticks.
  @Test func positionsFollowTheTicksAndNotTheTempo() {
    var script = RecordingScript()
    let tempo = Tempo(nanosecondsPerQuarter: 470_000_000)!
    for index in Int64(0)..<480 {
      let due = RecordingScript.instant(20 * Double(index))
      script.add(note, at: 20 * Double(index) + 10)
      script.recording.add(
        .tick(
          TickRecord(
            tick: Tick(index), due: due, woken: due, acted: due, activity: 0, tempo: tempo, grid: BarGrid(.common),
            series: 1)))
    }
    script.finish()
    // No tick follows the last note, so it is placed by the tempo. 10 ms are 10 / 470 quarter notes, 82 units.
    let expected = (0..<479).map { $0 * unit + unit / 2 } + [479 * unit + 82]
    #expect(script.recording.file.begins(ofTrack: 2) == expected)
    #expect(script.recording.file.tempos == [[0, 470_000]])
  }

  @Test func changesOfTempoAreTempoEvents() throws {
    var script = RecordingScript()
    var time = script.play(0..<48, from: 0)
    let fast = Tempo(nanosecondsPerQuarter: 240_000_000)!
    script.add(note, at: time + 15)
    time = script.play(48..<96, from: time, tempo: fast)
    // A difference of less than a microsecond is not written.
    script.play(96..<120, from: time, tempo: Tempo(nanosecondsPerQuarter: 240_000_300)!)
    script.finish()
    let file = script.recording.file
    #expect(file.tempos == [[0, 480_000], [48 * unit, 240_000]])
    // At the second tempo, a tick takes 10 ms. The note is 15 ms after tick 48.
    #expect(file.begins(ofTrack: 2) == [49 * unit + unit / 2])
  }

  /// The first event is at the beginning of the file. The rhythm begins with the next bar.
  @Test func notesBeforeTheRhythmAreAtTheFirstTempo() {
    var script = RecordingScript()
    script.add(note, at: 100)
    script.add(end, at: 580)
    script.add(note, at: 2500)
    script.hit(36, at: 2600)
    script.play(0..<24, from: 2600, tempo: Tempo(nanosecondsPerQuarter: 500_000_000)!)
    script.finish()
    let file = script.recording.file
    // A quarter note has 3840 units and takes 480 ms. The second note is 2.4 s, or five quarter notes, after the first event.
    // The rhythm begins with the third bar, eight quarter notes after the first event. The second note has no Note Off, so it ends
    // at the end of the file.
    #expect(file.messages(ofTrack: 2).map(\.tick).dropLast() == [0, 3840, 5 * 3840])
    #expect(file.begins(ofTrack: 1) == [8 * 3840])
    #expect(file.tempos == [[0, 480_000], [8 * 3840, 500_000]])
  }

  /// After a stop, notes are placed at the last tempo. The rhythm continues in the middle of a bar. In the file, it also continues in
  /// the middle of a bar.
  @Test func pauseIsExtendedToThePlaceInTheBar() {
    var script = RecordingScript()
    script.play(0..<144, from: 0)
    // The rhythm has stopped at 2880 ms.
    script.add(note, at: 3340)
    script.recording.place(until: RecordingScript.instant(4000))
    script.hit(36, at: 4000)
    script.play(144..<192, from: 4000, series: 2)
    script.finish()
    let file = script.recording.file
    // The note is 480 ms (24 ticks) after tick 143.
    #expect(file.begins(ofTrack: 2) == [167 * unit])
    // Tick 144 is in the middle of a bar. It sounds 1140 ms (57 ticks) after tick 143, which would be tick 200 of the file. The recording
    // moves it to the next middle of a bar, tick 240.
    #expect(file.begins(ofTrack: 1) == [240 * unit])
  }

  /// A peer joins a rhythm that already plays. The recording begins at the place that the first tick of the peer has in the bar.
  @Test(arguments: [(100, 4), (96, 0), (-6, 90), (1 << 62, (1 << 62) % 96)] as [(Int64, Int64)])
  func rhythmThatIsJoinedKeepsItsPlaceInTheBar(first: Int64, place: Int64) {
    var script = RecordingScript()
    script.hit(36, at: 0)
    script.play(first..<first + 6, from: 0)
    script.finish()
    #expect(script.recording.file.begins(ofTrack: 1) == [place * unit])
  }

  /// Ticks are missing if the machine stood still, and are reported twice if another peer takes over. In both cases, later ticks keep
  /// their positions.
  @Test func skippedTicksKeepThePosition() {
    var script = RecordingScript()
    script.play(0..<24, from: 0)
    script.recording.place(until: RecordingScript.instant(1900))
    script.hit(36, at: 1920)
    script.hit(38, at: 2000)
    // Ticks 24 to 95 are missing. In the second call, the ticks up to 99 have no effect, because tick 99 was recorded already.
    script.play(96..<100, from: 1920)
    script.play(90..<106, from: 1800)
    script.finish()
    #expect(script.recording.file.begins(ofTrack: 1) == [96 * unit, 100 * unit])
  }

  /// A tick whose number is higher than the fastest tempo permits begins another run. The file gets no long empty part: each
  /// run lasts a beat, and the second run is moved by less than a bar. The limit of four bars leaves a margin.
  @Test(arguments: [1_000_000, Int64.max - 200]) func implausibleTickNumberBeginsAnotherRun(tick: Int64) {
    var script = RecordingScript()
    let time = script.play(0..<24, from: 0)
    script.play(tick..<tick + 24, from: time)
    script.finish()
    #expect(script.recording.file.tracks[0].end <= 4 * 96 * unit)
  }

  /// A new meter begins with the tick of its change while the rhythm plays, or with the next run.
  @Test func meterChangesAtABarLine() {
    var script = RecordingScript()
    var time = script.play(0..<96, from: 0)
    time = script.play(96..<300, from: time, bars: BarGrid(Meter(beats: 3, unit: 4)!, from: Tick(96)))
    script.hit(36, at: time + 1000)
    script.play(0..<24, from: time + 1000, series: 2, bars: BarGrid(Meter(beats: 6, unit: 8)!))
    script.finish()
    let file = script.recording.file
    // The bars of 3/4 have 72 ticks, and the first of them begins at tick 96. The pause of 51 ticks follows tick 299. The bar line after
    // it is at tick 384.
    #expect(file.meters == [[0, 4, 4], [96 * unit, 3, 4], [384 * unit, 6, 8]])
    #expect(file.begins(ofTrack: 1) == [384 * unit])
  }

  /// A tick of the rhythm is a whole number of file units. So is a unit of a sequencer with 960 units per quarter note. A file unit is
  /// shorter than a millisecond at every tempo.
  @Test func ticksAndSequencerUnitsAreWholeNumbersOfFileUnits() throws {
    #expect(RecordedTimeline.resolution % 24 == 0 && RecordedTimeline.resolution % 960 == 0)
    let slowest = try Tempo(bpm: Tempo.range.lowerBound).nanosecondsPerQuarter
    #expect(slowest / Int64(RecordedTimeline.resolution) < 1_000_000)
  }
}
