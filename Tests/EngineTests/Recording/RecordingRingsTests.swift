import Audio
import MusicalTime
import Realtime
import Testing
import Transports

@testable import Engine

/// A test of the events that the clock thread passes to a MIDI recording.
@Suite struct RecordingRingsTests {
  /// The recording gets the same hits and recalls as the sound, and the tempo of each tick.
  @Test func recordingGetsTheHitsAndRecallsOfTheSound() throws {
    let (recording, socket) = (RecordingRings(), try UDPSocket(port: 0))
    defer { socket.close() }
    let rings = ClockRings(recording: recording)
    var loop = try VirtualRhythm.loop(rings, on: socket)
    let fast = Tempo(nanosecondsPerQuarter: 240_000_000)!
    let change = TempoChange(tempo: fast, tick: Tick(12))
    rings.schedule.publish(VirtualRhythm.schedule(end: 96, change: change))
    loop.play(from: .milliseconds(-51), to: .milliseconds(320))
    // The hit of tick 24, at 360 ms, was passed to the sound 50 ms before. The hit is recalled, because the rhythm now ends at tick 23.
    rings.schedule.publish(VirtualRhythm.schedule(end: 23, change: change))
    loop.play(from: .milliseconds(320), to: .milliseconds(600))
    var (heard, recorded): ([SoundEvent], [SoundEvent]) = ([], [])
    while let event = rings.sound.first.hits.pop() { heard.append(event) }
    while let event = recording.hits.pop() { recorded.append(event) }
    #expect(recorded == heard && recorded.count >= 2 && recorded.contains { $0.kind == .recall })
    #expect(recorded.filter { $0.kind == .recall }.allSatisfy { $0.submitted >= VirtualRhythm.origin })
    var tempos: [Int64] = []
    while let tick = rings.ticks.pop() { tempos.append(tick.tempo.nanosecondsPerQuarter) }
    #expect(tempos == [Int64](repeating: 480_000_000, count: 12) + [Int64](repeating: 240_000_000, count: 11))
    #expect(recording.dropped == 0)
  }
}
