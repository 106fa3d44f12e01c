import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import Engine

/// Tests of the contents of a MIDI recording, in virtual time. ``RecordingScript`` adds the events. Times are in milliseconds. A tick of
/// the rhythm takes 20 ms, and has `unit` (160) units of the file. A step takes 120 ms, or six ticks.
@Suite struct MIDIRecordingTests {
  private let unit = RecordingScript.unit
  private let channel = Channel(3)!

  /// 24 ticks last 20 ms each. The 23 ticks before the last one last 10 ms each.
  @Test func durationFollowsTheTempo() throws {
    var script = RecordingScript()
    let start = script.play(0..<24, from: 0)
    script.play(24..<48, from: start, tempo: try #require(Tempo(nanosecondsPerQuarter: 240_000_000)))
    #expect(script.recording.timeline.duration == .milliseconds(710))
  }

  /// A file has a track with the tempo, a track with the rhythm, and a named track for each player, even if the player has no notes. The
  /// first track has the name of the local player, Ada, which is also the name of the file.
  @Test func fileHasATrackPerPlayer() throws {
    var script = RecordingScript(["Ada", "Ben", "Cleo"])
    script.play(0..<24, from: 0)
    // Ben has a new name.
    script.recording.add(.name("Benjamin", player: 1))
    script.finish()
    let file = try StandardMIDIFile(bytes: script.recording.file.bytes())
    #expect(file == script.recording.file && file.format == .simultaneousTracks)
    #expect(file.division == .ticksPerQuarter(3840))
    #expect(file.tracks.map(\.name) == ["Ada", "rhythm", "Ada", "Benjamin", "Cleo"])
  }

  /// The name of a player can be lost when the disk does not respond. The track of the player then has a number as its name. Here only
  /// player 0, Ada, has a name.
  @Test func playerWithoutNameIsRecorded() {
    var script = RecordingScript(["Ada"])
    script.add(.noteOn(channel, key: 60, velocity: 1), player: 2, at: 0)
    script.finish()
    #expect(script.recording.file.tracks.map(\.name) == ["Ada", "rhythm", "Ada", "player 2", "player 3"])
  }

  /// A hit lasts a step, or until the next hit of the same drum. Hits are on channel 10.
  @Test func hitsEndAfterAStep() {
    var script = RecordingScript()
    script.hit(36, at: 0)
    script.hit(42, velocity: 60, at: 0)
    script.hit(36, at: 60)
    // Of two hits of one drum at one position, the louder one remains.
    script.hit(36, velocity: 110, at: 60)
    script.play(0..<24, from: 0)
    script.finish()
    let drums = Channel(10)!
    #expect(
      script.recording.file.messages(ofTrack: 1).map { "\($0.tick): \($0.message)" }
        == [
          (0, Message.noteOn(drums, key: 36, velocity: 100)), (0, .noteOn(drums, key: 42, velocity: 60)),
          (3 * unit, .noteOff(drums, key: 36, velocity: 0)), (3 * unit, .noteOn(drums, key: 36, velocity: 110)),
          (6 * unit, .noteOff(drums, key: 42, velocity: 0)), (9 * unit, .noteOff(drums, key: 36, velocity: 0)),
        ].map { "\($0.0): \($0.1)" })
  }

  /// Each pitched part with notes has a track with its program, on channels 14 to 16. Notes end with the rhythm.
  @Test func pitchedPartsHaveTracks() throws {
    var script = RecordingScript(["Ada"])
    script.hit(36, at: 0)
    script.note(40, part: 1, program: 33, at: 0, until: 120)
    script.note(43, part: 1, program: 33, at: 120, until: 2000)
    script.note(60, part: 3, program: 4, at: 240, until: 300)
    // This note is recalled before it sounds.
    script.note(45, part: 1, program: 33, at: 300, until: 360)
    script.recall(from: 300, at: 250)
    script.play(0..<24, from: 0)
    script.release(at: 480)
    script.finish()
    let file = try StandardMIDIFile(bytes: script.recording.file.bytes())
    #expect(file.tracks.map(\.name) == ["Ada", "rhythm", "bass", "keys", "Ada"])
    let (bass, keys) = (Channel(14)!, Channel(16)!)
    #expect(
      file.messages(ofTrack: 2).map { "\($0.tick): \($0.message)" }
        == [
          (0, Message.programChange(bass, program: 33)), (0, .noteOn(bass, key: 40, velocity: 90)),
          (6 * unit, .noteOff(bass, key: 40, velocity: 0)), (6 * unit, .noteOn(bass, key: 43, velocity: 90)),
          (24 * unit, .noteOff(bass, key: 43, velocity: 0)),
        ].map { "\($0.0): \($0.1)" })
    #expect(
      file.messages(ofTrack: 3).map { "\($0.tick): \($0.message)" }
        == [
          (12 * unit, Message.programChange(keys, program: 4)), (12 * unit, .noteOn(keys, key: 60, velocity: 90)),
          (15 * unit, .noteOff(keys, key: 60, velocity: 0)),
        ].map { "\($0.0): \($0.1)" })
  }

  /// A recall removes the hits of all steps from its instant on, except the hits that have already sounded. Hits that are passed after
  /// the recall remain.
  @Test func recalledHitsAreNotRecorded() {
    var script = RecordingScript()
    script.hit(36, at: 0)
    script.hit(37, at: 120)
    // This hit is pushed: it sounds 25 ms before its step. When the step is recalled, the hit has already sounded.
    script.hit(38, at: 95, push: 25)
    script.recall(from: 120, at: 100)
    script.hit(39, at: 140)
    script.play(0..<24, from: 0)
    script.finish()
    let keys = script.recording.file.messages(ofTrack: 1).filter { !$0.message.silencesNote }.compactMap(\.message.key)
    #expect(keys.map(\.value) == [36, 38, 39])
  }

  /// Hits are passed to the sound ahead of time. Hits after the end of the sound do not sound, and are not recorded. The ends of notes
  /// are recorded.
  @Test func hitsAfterTheEndAreNotRecorded() {
    var script = RecordingScript()
    script.hit(36, at: 40)
    script.hit(36, at: 500)
    script.add(.noteOn(channel, key: 60, velocity: 1), at: 10)
    script.add(.noteOff(channel, key: 60, velocity: 1), at: 505)
    script.play(0..<25, from: 0)
    script.finish(at: 490)
    #expect(script.recording.file.begins(ofTrack: 1) == [2 * unit])
    #expect(script.recording.file.messages(ofTrack: 2).count == 2)
  }

  /// A System Exclusive of a device is recorded in the track of the device.
  @Test func systemExclusivesAreRecorded() {
    var script = RecordingScript()
    let instant = RecordingScript.instant(60)
    script.recording.add(.exclusive([0x7E, 0x7F, 0x09, 0x01], player: 1, instant: instant))
    script.play(0..<25, from: 0)
    script.finish()
    let events = script.recording.file.tracks.last?.events ?? []
    let exclusive = StandardMIDIFile.Event(tick: 3 * unit, .systemExclusive([0x7E, 0x7F, 0x09, 0x01, 0xF7]))
    #expect(events.contains(exclusive))
  }

  /// If the file is written while notes sound, these notes end at the end of the file. Here only key 62 sounds then: key 60 ends with a
  /// Note On of velocity 0, and key 64 before All Notes Off.
  @Test func heldNotesEndWithTheFile() {
    var script = RecordingScript()
    script.add(.noteOn(channel, key: 60, velocity: 9), at: 20)
    script.add(.noteOn(channel, key: 62, velocity: 9), at: 40)
    script.add(.noteOn(channel, key: 60, velocity: 0), at: 60)
    script.add(.noteOn(Channel(4)!, key: 64, velocity: 9), at: 60)
    script.add(.controlChange(Channel(4)!, controller: 123, value: 0), at: 80)
    script.play(0..<25, from: 0)
    let held = script.recording.file.messages(ofTrack: 2)
    #expect(held.count == 7 && held.last?.tick == 24 * unit)
    #expect(held.last?.message == .noteOff(channel, key: 62, velocity: 64))
    script.add(.noteOff(channel, key: 62, velocity: 3), at: 490)
    script.finish()
    #expect(script.recording.file.messages(ofTrack: 2).map(\.message).last == .noteOff(channel, key: 62, velocity: 3))
  }

  /// While the players are silenced, their Note Ons are refused, but the Note Offs of some devices arrive. A note that begins again ends
  /// first. Key 60 has an end without a beginning, key 62 begins twice, and key 64 ends with All Notes Off and again.
  @Test func everyNoteHasOneBeginningAndOneEnd() {
    var script = RecordingScript()
    script.add(.noteOff(channel, key: 60, velocity: 64), at: 20)
    script.add(.noteOn(channel, key: 60, velocity: 0), at: 40)
    script.add(.noteOn(channel, key: 62, velocity: 9), at: 60)
    script.add(.noteOn(channel, key: 62, velocity: 8), at: 80)
    script.add(.noteOff(channel, key: 62, velocity: 3), at: 100)
    script.add(.noteOff(channel, key: 62, velocity: 3), at: 120)
    script.add(.noteOn(channel, key: 64, velocity: 7), at: 140)
    script.add(.controlChange(channel, controller: 123, value: 0), at: 160)
    script.add(.noteOff(channel, key: 64, velocity: 2), at: 180)
    script.play(0..<25, from: 0)
    script.finish()
    #expect(
      script.recording.file.messages(ofTrack: 2).map(\.message) == [
        .noteOn(channel, key: 62, velocity: 9), .noteOff(channel, key: 62, velocity: 64),
        .noteOn(channel, key: 62, velocity: 8), .noteOff(channel, key: 62, velocity: 3),
        .noteOn(channel, key: 64, velocity: 7), .noteOff(channel, key: 64, velocity: 64),
        .controlChange(channel, controller: 123, value: 0),
      ])
  }

  /// The messages of a player at one instant keep their order, because a note may begin and end within one unit of the file. Here 50
  /// messages are played at each of ten instants.
  @Test func orderOfMessagesIsKept() {
    var random = SplitMix(seed: 5)
    var script = RecordingScript()
    var played: [Message] = []
    var key = UInt7(60)
    for index in 0..<500 {
      if index % 2 == 0 { key = UInt7(masking: UInt8(random.integer(in: 60...64))) }
      let message: Message =
        index % 2 == 0 ? .noteOn(channel, key: key, velocity: 90) : .noteOff(channel, key: key, velocity: 64)
      played.append(message)
      script.add(message, at: Double(index / 50) * 25)
      if index % 50 == 49 {
        let tick = Int64(index / 50)
        script.play(tick..<tick + 1, from: Double(tick) * 20)
      }
    }
    script.finish()
    let recorded = script.recording.file.messages(ofTrack: 2)
    #expect(Array(recorded.map(\.message).prefix(played.count)) == played)
    #expect(zip(recorded, recorded.dropFirst()).allSatisfy { $0.tick <= $1.tick })
  }

  /// The recording stops at its limit, and can still be written.
  @Test func fullRecordingStops() throws {
    var script = RecordingScript(limit: 100)
    for index in 0..<200 { script.add(.channelPressure(channel, pressure: 1), at: Double(index)) }
    // Only events that have been placed in the recording count. Without ticks, the events wait until `finish` places them.
    #expect(!script.recording.isFull)
    script.finish()
    #expect(script.recording.isFull)
    // The limit includes the tempo and the meter.
    #expect(try StandardMIDIFile(bytes: script.recording.file.bytes()).messages(ofTrack: 2).count == 98)
  }

  /// Two events of a track can be further apart than the largest delta time of a file, 2^28 - 1 units. At 120 BPM, this is almost ten
  /// hours. Here the events are 100 000 s apart: 5 million ticks, or 800 million units.
  @Test func longPausesAreWritten() throws {
    var script = RecordingScript()
    script.add(.channelPressure(channel, pressure: 1), at: 0)
    script.add(.channelPressure(channel, pressure: 2), at: 100_000_000)
    script.finish()
    let file = try StandardMIDIFile(bytes: script.recording.file.bytes())
    #expect(file.messages(ofTrack: 2).map(\.tick) == [0, 800_000_000])
    #expect(file.tracks.allSatisfy { $0.end == 800_000_000 })
  }
}
