import MIDI
import MusicalTime
import Realtime
import Testing

@testable import Audio

/// Notes and controllers among hits.
@Suite struct RendererMessageTests {
  private let grid = FrameGrid.standard
  private let start: Int64 = 48_000 * 1_000
  private let channel = Channel(16)!

  private func on(_ key: UInt7 = 60) -> Message { .noteOn(channel, key: key, velocity: 100) }
  private func off(_ key: UInt7 = 60) -> Message { .noteOff(channel, key: key, velocity: 64) }

  private func event(_ message: Message, at frame: Int64) -> SoundEvent {
    .message(message, at: grid.instant(of: frame))
  }

  private func hit(at frame: Int64) -> SoundEvent {
    SoundEvent(instant: grid.instant(of: frame), note: 38, velocity: 110, group: 0)
  }

  /// What the channels alone give in `count` frames after `messages`.
  private func sound(of messages: [Message], _ count: Int) throws -> Sound {
    var channels = ChannelSynthesizer(try SoundFont(DrumLanes.defaultSoundFont, rate: 48_000))
    channels.play(messages)
    return channels.render(count)
  }

  /// On the steady card: the first frame of the period that is taken next, 256...511 frames on.
  @Test(arguments: [0, 1, 100, 255, 256, 257]) func aNoteSoundsInThePeriodTakenNext(offset: Int64) throws {
    let expected = try sound(of: [on()], 512)
    var renderer = Renderer(grid: grid, module: try SoundModule())
    renderer.add(event(on(), at: start + offset))
    var sound = Sound()
    for period in 0..<Int64(6) { sound += renderer.render(from: start + period * 256, 256) }
    let onset = 256 + Int((offset + 255) / 256 * 256)
    #expect(sound[0..<onset].isSilent && sound[onset..<onset + 512] == expected)
    #expect(renderer.counters.messages == 1 && renderer.counters.hits == 0)
  }

  /// On a sound card: the first frame of the period rendered next, whatever the latency.
  @Test(arguments: [0, 2_000]) func onACardANoteSoundsInThePeriodRenderedNext(latency: Int64) throws {
    let expected = try sound(of: [on()], 256)
    let line = FrameFit(frame: 5_000, at: grid.instant(of: start), grid: grid)
    var renderer = Renderer(grid: grid, module: try SoundModule())
    renderer.map = .line(line)
    let ring = SPSCRing<SoundEvent>(capacity: 4)
    ring.push(event(on(), at: start))
    renderer.take(ring, earlier: .milliseconds(latency))
    #expect(renderer.render(from: 5_123, 256) == expected)
  }

  /// Every sample is the sum of what the drums and the channels give alone.
  @Test func messagesKeepTheirOrderAndHitsTheirFrames() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule())
    let low = Message.controlChange(channel, controller: 7, value: 10)
    renderer.add(hit(at: start + 300))
    for message in [on(50), off(50), low, on()] { renderer.add(event(message, at: start - 300)) }
    // It takes back no message.
    renderer.add(.recall(from: grid.instant(of: start - 1_000)))
    // One that counts from the third period does not hold up hits that are due before.
    renderer.add(event(on(72), at: start + 10))
    for frame in [310, 700] as [Int64] { renderer.add(hit(at: start + frame)) }
    var sound = Sound()
    for period in 0..<Int64(4) { sound += renderer.render(from: start + period * 256, 256) }

    var lanes = try DrumLanes()
    lanes.skip(to: start)
    let struck = lanes.strike(38, velocity: 110, at: start + 310) && lanes.strike(38, velocity: 110, at: start + 700)
    var expected = lanes.render(1_024)
    var channels = ChannelSynthesizer(try SoundFont(DrumLanes.defaultSoundFont, rate: 48_000))
    channels.play([on(50), off(50), low, on()])
    var notes = channels.render(512)
    channels.play([on(72)])
    notes += channels.render(512)
    for frame in 0..<1_024 {
      expected.left[frame] += notes.left[frame]
      expected.right[frame] += notes.right[frame]
    }
    #expect(struck && notes.peak > 0 && sound.firstDifference(from: expected) == nil)
    #expect(renderer.counters.hits == 2 && renderer.counters.messages == 5 && renderer.counters.late == 0)
  }

  /// So many that the block does not take them all: they go on with the blocks after it, none is lost.
  @Test func aFloodIsSpreadOverBlocks() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule())
    let keys = (0..<64).map { UInt7(masking: $0 + 30) }
    renderer.add(event(.programChange(channel, program: 19), at: start - 300))
    for key in keys { renderer.add(event(on(key), at: start - 300)) }
    for _ in 0..<500 {
      renderer.add(event(.controlChange(channel, controller: 121, value: 0), at: start - 300))
    }
    for key in keys { renderer.add(event(off(key), at: start - 300)) }
    var peak: Float = 0
    for period in 0..<Int64(200) { peak = max(peak, renderer.render(from: start + period * 256, 256).peak) }
    for period in 200..<Int64(600) { _ = renderer.render(from: start + period * 256, 256) }
    #expect(renderer.counters.messages == 629 && renderer.counters.droppedNotes == 0)
    #expect(peak > 0.1 && renderer.render(from: start + 600 * 256, 256).isSilent)
  }

  @Test func anOldNoteIsDroppedAndItsEndIsNot() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule())
    renderer.add(event(on(50), at: start))
    _ = renderer.render(from: start + 256, 256)
    renderer.add(event(on(), at: start + 512))
    renderer.add(event(off(50), at: start + 512))
    // The note may be a second late; then it ends with what follows.
    _ = renderer.render(from: start + 768 + 48_256, 256)
    #expect(renderer.counters.droppedNotes == 1 && renderer.counters.messages == 2)
    for period in 0..<Int64(400) { _ = renderer.render(from: start + 50_000 + period * 256, 256) }
    #expect(renderer.render(from: start + 50_000 + 400 * 256, 256).isSilent)
  }

  @Test func whereMessagesAreLostNotesEnd() throws {
    // In the ring, and here: either may have lost a Note Off.
    let ring = SPSCRing<SoundEvent>(capacity: 4)
    var renderer = Renderer(grid: grid, module: try SoundModule())
    var frame = start
    for inRing in [true, false] {
      ring.push(event(on(), at: frame - 300))
      renderer.take(ring, earlier: .zero)
      #expect(renderer.render(from: frame, 256).peak > 0)
      if inRing {
        for _ in 0..<5 { ring.push(event(off(7), at: frame)) }
        renderer.take(ring, earlier: .zero)
      } else {
        for _ in 0...EventQueue.capacity { renderer.add(event(off(7), at: frame + 256)) }
      }
      _ = renderer.render(from: frame + 256, 256)
      #expect(renderer.render(from: frame + 512, 256).isSilent)
      frame += 1_024
    }
    #expect(renderer.counters.droppedNotes == 2 && renderer.counters.messages == 2)
    // Once is once.
    renderer.add(event(on(), at: frame - 300))
    renderer.take(ring, earlier: .zero)
    #expect(renderer.render(from: frame, 256).peak > 0)
  }

  @Test func withoutACardNotesAreDroppedAndEndedAndControllersKept() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule())
    renderer.map = .line(FrameFit(frame: start, at: grid.instant(of: start), grid: grid))
    renderer.add(event(on(50), at: start))
    _ = renderer.render(from: start, 256)
    renderer.add(event(off(50), at: start + 256))
    renderer.add(event(on(70), at: start + 256))
    renderer.add(event(.controlChange(channel, controller: 7, value: 0), at: start + 256))
    renderer.drop(before: grid.instant(of: start + 9_600))
    renderer.add(event(on(), at: start + 9_600))
    var sound = Sound()
    for period in 0..<Int64(400) { sound += renderer.render(from: start + 9_600 + period * 256, 256) }
    #expect(renderer.counters.droppedNotes == 1)
    #expect(sound.peak < 0.000_1, "the volume is 0")
  }

  @Test func withoutAnythingToSoundWithMessagesAreCounted() {
    var renderer = Renderer(grid: grid, module: nil)
    renderer.add(event(on(), at: start))
    renderer.add(event(off(), at: start + 1))
    let first = renderer.render(from: start, 256)
    let before = renderer.counters.messages
    let second = renderer.render(from: start + 256, 512)
    #expect(first.isSilent && before == 0 && second.isSilent && renderer.counters.messages == 2)
  }
}
