import MIDI
import MusicalTime
import Realtime
import Testing
import _TestSupport

@testable import Audio

/// Tests of notes and controllers between hits. A period has 256 frames.
@Suite struct RendererMessageTests {
  private let grid = FrameGrid.standard
  /// The first frame of the first period, a multiple of 256.
  private let start: Int64 = 48_000 * 1_000
  /// A frame more than a period before ``start``. A message that is submitted at this frame sounds from ``start`` on.
  private var early: Int64 { start - 300 }
  private let channel = Channel(16)!

  private func on(_ key: UInt7 = 60) -> Message { .noteOn(channel, key: key, velocity: 100) }
  private func off(_ key: UInt7 = 60) -> Message { .noteOff(channel, key: key, velocity: 64) }

  private func event(_ message: Message, at frame: Int64) -> SoundEvent {
    .message(message, at: grid.instant(of: frame))
  }

  private func hit(at frame: Int64) -> SoundEvent {
    SoundEvent(instant: grid.instant(of: frame), note: 38, velocity: 110, group: 0)
  }

  /// The first `count` frames of a new channel synthesizer that has played `messages`.
  private func sound(of messages: [Message], _ count: Int) throws -> Sound {
    var channels = ChannelSynthesizer(try SoundFont(InstalledSoundFont.timGM6mb.path, rate: 48_000))
    channels.play(messages)
    return channels.render(count)
  }

  /// The nominal device requests each period 256 frames before its first frame. A note sounds from the first frame of the first period
  /// that is requested at or after the submission of the note. This frame is 256...511 frames after the submission.
  @Test(arguments: [0, 1, 100, 255, 256, 257]) func noteSoundsInTheNextRequestedPeriod(offset: Int64) throws {
    let expected = try sound(of: [on()], 512)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.add(event(on(), at: start + offset))
    var sound = Sound()
    for period in 0..<Int64(6) { sound += renderer.render(from: start + period * 256, 256) }
    let onset = 256 + Int((offset + 255) / 256 * 256)
    #expect(sound[0..<onset].isSilent && sound[onset..<onset + 512] == expected)
    #expect(renderer.counters.messages == 1 && renderer.counters.hits == 0)
  }

  /// A timed note begins at most 63 frames after its instant, however early it is submitted. This is also true if a message is added after
  /// the note and takes effect before it.
  @Test(arguments: [Int64(300), 600, 1000, 1037, 4000]) func timedNoteSoundsAtItsInstant(due: Int64) throws {
    let expected = try sound(of: [on()], 512)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    let submitted = grid.instant(of: start)
    renderer.add(.message(on(), at: submitted, due: grid.instant(of: start + due)))
    renderer.add(event(.controlChange(channel, controller: 10, value: 64), at: start))
    var sound = Sound()
    for period in 0..<Int64(20) { sound += renderer.render(from: start + period * 256, 256) }
    #expect(sound[0..<Int(due)].isSilent)
    let delays = (0..<64).filter { delay in
      let onset = Int(due) + delay
      return sound[onset..<onset + 512] == expected
    }
    #expect(delays.count == 1 && renderer.counters.messages == 2)
  }

  /// The latency of a device after the sound card makes a timed message earlier. A message whose new instant has passed takes effect at
  /// once.
  @Test func latencyMakesTimedMessagesEarlier() throws {
    var renderer = Renderer(grid: grid, module: nil)
    let events = SoundEvents(capacity: 4)
    let submitted = grid.instant(of: start)
    events.messages.push(.message(on(), at: submitted, due: grid.instant(of: start + 4800)))
    events.messages.push(.message(off(), at: submitted, due: grid.instant(of: start + 100)))
    renderer.drain(events, latency: .milliseconds(50))
    // 50 ms are 2400 frames. The first message is due at frame 4800 - 2400, and the second one at once. The first call renders nine periods
    // (2304 frames), and the second call renders the period that contains frame 2400.
    _ = renderer.render(from: start, 2304)
    #expect(renderer.counters.messages == 1)
    _ = renderer.render(from: start + 2304, 256)
    #expect(renderer.counters.messages == 2)
  }

  /// On a sound card, an untimed note sounds on the first frame that is rendered next, whatever the latency is.
  @Test(arguments: [0, 2_000]) func noteOnACardSoundsInTheNextRenderedPeriod(latency: Int64) throws {
    let expected = try sound(of: [on()], 256)
    let fit = FrameFit(frame: 5_000, at: grid.instant(of: start), grid: grid)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.map = .fit(fit)
    let ring = SoundEvents(capacity: 4)
    ring.push(event(on(), at: start))
    renderer.drain(ring, latency: .milliseconds(latency))
    // The note was submitted at frame 5000 of the card.
    #expect(renderer.render(from: 5_123, 256) == expected)
  }

  /// Every sample is the sum of the samples of the drums and of the channels, each rendered alone. The sum is limited (``SoftLimit``).
  @Test func messagesKeepTheirOrderAndHitsTheirFrames() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    let lowVolume = Message.controlChange(channel, controller: 7, value: 10)
    renderer.add(hit(at: start + 300))
    for message in [on(50), off(50), lowVolume, on()] { renderer.add(event(message, at: early)) }
    // A recall removes the waiting hit at frame `start + 300`, but no message.
    renderer.add(.recall(from: grid.instant(of: start - 1_000)))
    // A message that is due in the third period does not delay hits that are due earlier.
    renderer.add(event(on(72), at: start + 10))
    for frame in [310, 700] as [Int64] { renderer.add(hit(at: start + frame)) }
    var sound = Sound()
    for period in 0..<Int64(4) { sound += renderer.render(from: start + period * 256, 256) }

    var lanes = try DrumLanes(.timGM6mb)
    lanes.skip(to: start)
    let struck = lanes.strike(38, velocity: 110, at: start + 310) && lanes.strike(38, velocity: 110, at: start + 700)
    var expected = lanes.render(1_024)
    var channels = ChannelSynthesizer(try SoundFont(InstalledSoundFont.timGM6mb.path, rate: 48_000))
    channels.play([on(50), off(50), lowVolume, on()])
    var notes = channels.render(512)
    channels.play([on(72)])
    notes += channels.render(512)
    for frame in 0..<1_024 {
      expected.left[frame] += notes.left[frame]
      expected.right[frame] += notes.right[frame]
    }
    #expect(struck && notes.peak > 0 && sound.firstDifference(from: expected.limited) == nil)
    #expect(renderer.counters.hits == 2 && renderer.counters.messages == 5 && renderer.counters.late == 0)
  }

  /// The messages do not fit into one block. They are spread over the next blocks, and none is lost.
  @Test func messageFloodIsSpreadOverBlocks() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    let keys = (0..<64).map { UInt7(masking: $0 + 30) }
    renderer.add(event(.programChange(channel, program: 19), at: early))
    for key in keys { renderer.add(event(on(key), at: early)) }
    // 500 times Reset All Controllers.
    for _ in 0..<500 {
      renderer.add(event(.controlChange(channel, controller: 121, value: 0), at: early))
    }
    for key in keys { renderer.add(event(off(key), at: early)) }
    var peak: Float = 0
    for period in 0..<Int64(200) { peak = max(peak, renderer.render(from: start + period * 256, 256).peak) }
    for period in 200..<Int64(600) { _ = renderer.render(from: start + period * 256, 256) }
    // One program change, 64 notes on, 500 controllers and 64 notes off.
    #expect(renderer.counters.messages == 629 && renderer.counters.droppedNotes == 0)
    #expect(peak > 0.1 && renderer.render(from: start + 600 * 256, 256).isSilent)
  }

  @Test func lateNoteOnIsDroppedButLateNoteOffIsPlayed() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.add(event(on(50), at: start))
    _ = renderer.render(from: start + 256, 256)
    renderer.add(event(on(), at: start + 512))
    renderer.add(event(off(50), at: start + 512))
    // Both messages are due at `start + 768`. The next rendered period begins 48 256 frames later, so they are more than a second (48 000
    // frames) late. The Note On is dropped, and the Note Off ends the sounding note.
    _ = renderer.render(from: start + 768 + 48_256, 256)
    #expect(renderer.counters.droppedNotes == 1 && renderer.counters.messages == 2)
    for period in 0..<Int64(400) { _ = renderer.render(from: start + 50_000 + period * 256, 256) }
    #expect(renderer.render(from: start + 50_000 + 400 * 256, 256).isSilent)
  }

  @Test func messageLossEndsAllNotes() throws {
    // The ring overflows by one event. Then the queue of the renderer overflows by one event. In both cases, the lost event may be a Note
    // Off.
    let ring = SoundEvents(capacity: 4)
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    var frame = start
    for inRing in [true, false] {
      // More than a period before `frame`, so that the note sounds from `frame` on.
      ring.push(event(on(), at: frame - 300))
      renderer.drain(ring, latency: .zero)
      #expect(renderer.render(from: frame, 256).peak > 0)
      if inRing {
        for _ in 0..<5 { ring.push(event(off(7), at: frame)) }
        renderer.drain(ring, latency: .zero)
      } else {
        for _ in 0...EventQueue.capacity { renderer.add(event(off(7), at: frame + 256)) }
      }
      _ = renderer.render(from: frame + 256, 256)
      #expect(renderer.render(from: frame + 512, 256).isSilent)
      frame += 1_024
    }
    // Each overflow counts as one dropped note. It also removes the waiting Note Offs, so only the two Note Ons were played.
    #expect(renderer.counters.droppedNotes == 2 && renderer.counters.messages == 2)
    // A loss ends the notes only once: a new note sounds.
    renderer.add(event(on(), at: frame - 300))
    renderer.drain(ring, latency: .zero)
    #expect(renderer.render(from: frame, 256).peak > 0)
  }

  @Test func withoutACardNoteOnsAreDroppedAndOtherMessagesArePlayed() throws {
    var renderer = Renderer(grid: grid, module: try SoundModule(.timGM6mb))
    renderer.map = .fit(FrameFit(frame: start, at: grid.instant(of: start), grid: grid))
    renderer.add(event(on(50), at: start))
    _ = renderer.render(from: start, 256)
    renderer.add(event(off(50), at: start + 256))
    renderer.add(event(on(70), at: start + 256))
    renderer.add(event(.controlChange(channel, controller: 7, value: 0), at: start + 256))
    // The card was absent until 9600 frames (200 ms) after `start`.
    renderer.drop(before: grid.instant(of: start + 9_600))
    renderer.add(event(on(), at: start + 9_600))
    var frame = start + 9_600
    func sound(periods: Int) -> Sound {
      var sound = Sound()
      for _ in 0..<periods {
        sound += renderer.render(from: frame, 256)
        frame += 256
      }
      return sound
    }
    #expect(sound(periods: 20).peak < 0.000_1, "the volume is 0")
    // The new note ends, and the volume rises. If note 50 had not ended, or if note 70 had begun, they would sound now.
    renderer.add(event(off(), at: frame))
    renderer.add(event(.controlChange(channel, controller: 7, value: 100), at: frame))
    _ = sound(periods: 200)
    #expect(sound(periods: 20).peak < 0.000_1)
    renderer.add(event(on(), at: frame))
    #expect(sound(periods: 20).peak > 0.000_1, "the volume has risen")
    #expect(renderer.counters.droppedNotes == 1)
  }

  @Test func messagesAreCountedWithoutSoundModule() {
    var renderer = Renderer(grid: grid, module: nil)
    renderer.add(event(on(), at: start))
    renderer.add(event(off(), at: start + 1))
    let first = renderer.render(from: start, 256)
    let before = renderer.counters.messages
    let second = renderer.render(from: start + 256, 512)
    #expect(first.isSilent && before == 0 && second.isSilent && renderer.counters.messages == 2)
  }
}
