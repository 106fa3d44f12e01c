import Audio
import MIDI
import MusicalTime
import Testing

@testable import Engine

/// Tests of the notes of scores in a MIDI recording. Times are in milliseconds. A tick takes 20 ms, and has `unit` (160) units of the file.
@Suite struct RecordedScoresTests {
  private let unit = RecordingScript.unit

  private func note(
    _ key: UInt8, part: UInt8, program: UInt8 = 0, at start: Double, until end: Double
  ) -> RecordedEvent {
    .hit(
      SoundEvent(
        instant: RecordingScript.instant(start), until: RecordingScript.instant(end), key: key, velocity: 90,
        scorePart: part, program: program, step: RecordingScript.instant(start)))
  }

  /// Each part with notes has a track with its name and program. Drums are on channel 10.
  @Test func partsHaveTracks() throws {
    var script = RecordingScript(["Ada"])
    script.recording.add(.score(parts: ["Flute", "Silence", "Drums", "Viola"]))
    script.recording.add(note(72, part: 0, program: 73, at: 0, until: 120))
    script.recording.add(note(36, part: 2, program: SoundEvent.drumKit, at: 20, until: 60))
    // The same key in two parts at one instant, with different ends.
    script.recording.add(note(72, part: 3, program: 41, at: 0, until: 200))
    script.play(0..<24, from: 0)
    script.finish()
    let file = try StandardMIDIFile(bytes: script.recording.file.bytes())
    #expect(file.tracks.map(\.name) == ["Ada", "rhythm", "Flute", "Drums", "Viola", "Ada"])
    func messages(_ track: Int) -> [String] { file.messages(ofTrack: track).map { "\($0.tick / unit): \($0.message)" } }
    func texts(_ messages: [(Int64, Message)]) -> [String] { messages.map { "\($0.0): \($0.1)" } }
    let (flute, drums, viola) = (try #require(Channel(1)), try #require(Channel(10)), try #require(Channel(4)))
    #expect(
      messages(2)
        == texts([
          (0, .programChange(flute, program: 73)), (0, .noteOn(flute, key: 72, velocity: 90)),
          (6, .noteOff(flute, key: 72, velocity: 0)),
        ]))
    #expect(
      messages(3) == texts([(1, .noteOn(drums, key: 36, velocity: 90)), (3, .noteOff(drums, key: 36, velocity: 0))]))
    #expect(
      messages(4)
        == texts([
          (0, .programChange(viola, program: 41)), (0, .noteOn(viola, key: 72, velocity: 90)),
          (10, .noteOff(viola, key: 72, velocity: 0)),
        ]))
  }

  /// A score that is played again continues its tracks. Another score has its own tracks.
  @Test func eachScoreHasItsTracks() throws {
    var script = RecordingScript(["Ada"])
    for (index, parts) in [["Flute", "Viola"], ["Viola"], ["Flute", "Viola"]].enumerated() {
      script.recording.add(.score(parts: parts))
      let start = Double(index) * 120
      for part in parts.indices { script.recording.add(note(60, part: UInt8(part), at: start, until: start + 20)) }
      // The score has no such part.
      script.recording.add(note(61, part: 9, at: start, until: start + 20))
    }
    script.play(0..<24, from: 0)
    script.finish()
    let file = script.recording.file
    #expect(file.tracks.map(\.name) == ["Ada", "rhythm", "Flute", "Viola", "Viola", "Ada"])
    #expect((2...4).map { file.begins(ofTrack: $0) } == [[0, 12 * unit], [0, 12 * unit], [6 * unit]])
  }

  /// Releases and mutes end notes, and recalled and muted notes do not sound.
  @Test func releasesMutesAndRecallsAreRecorded() throws {
    var script = RecordingScript(["Ada"])
    script.recording.add(.score(parts: ["Flute", "Viola"]))
    script.recording.add(note(60, part: 0, at: 0, until: 480))
    script.recording.add(note(62, part: 1, at: 0, until: 480))
    script.recording.add(note(64, part: 0, at: 240, until: 480))
    script.recording.add(note(66, part: 1, at: 360, until: 480))
    // The flute is muted at 120 ms, so its second note does not begin. The last note of the viola is recalled.
    script.recording.add(.hit(.mute(scorePart: 0, at: RecordingScript.instant(120))))
    script.recall(from: 340, at: 200)
    script.recording.add(.hit(.releaseScore(at: RecordingScript.instant(300))))
    script.play(0..<24, from: 0)
    script.finish()
    let file = script.recording.file
    func messages(_ track: Int) -> [String] {
      file.messages(ofTrack: track).compactMap { event in
        event.message.key.map { "\(event.message.startsNote ? "on" : "off") \($0.value) \(event.tick / unit)" }
      }
    }
    #expect(messages(2) == ["on 60 0", "off 60 6"])
    #expect(messages(3) == ["on 62 0", "off 62 15"])
  }

  /// The number of tracks is limited. The parts of a further score are recorded in the tracks of the last one.
  @Test func numberOfTracksIsLimited() {
    var scores = RecordedScores()
    for score in 0..<5 {
      scores.begin((0..<70).map { "part \(score) \($0)" })
      #expect(scores.present.count == 64)
    }
    #expect(scores.present.upperBound == RecordedScores.maximum)
    #expect(scores.track(ofPart: 63) == 255 && scores.track(ofPart: 64) == nil)
  }
}
