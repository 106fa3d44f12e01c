import Audio
import CAllocationCount
import Foundation
import MIDI
import MusicalTime
import Realtime
import Testing
import _TestSupport

extension SoundCardTests {
  /// Tests with the loopback card of the lab. The sound is recorded at the capture side of the card.
  @Suite struct CardLoopTests {
    private let events = SoundEvents()

    /// Submits `count` side stick hits, one every 100 ms. Each hit ends before the next begins.
    private func play(_ count: Int, from start: Instant) {
      for step in 0..<count {
        let instant = start + .milliseconds(Int64(step) * 100)
        events.push(SoundEvent(instant: instant, note: 37, velocity: 120, group: 0))
      }
    }

    /// The error in frames of each onset relative to a grid of 4800 frames (100 ms) through the last onset, -2399...2400. A
    /// positive error is late.
    private func errors(_ onsets: [Int]) -> [Int] {
      onsets.map { 2_400 - ((onsets.last ?? 0) - $0 + 2_400) % 4_800 }
    }

    /// Waits until `isDone` returns true.
    ///
    /// - Returns: false if this takes longer than `limit`.
    private func wait(atMost limit: Nanoseconds, until isDone: () -> Bool) -> Bool {
      let end = MonotonicClock.now + limit
      while !isDone() {
        guard MonotonicClock.now < end else { return false }
        MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(10))
      }
      return true
    }

    @Test func hitsAreOnTheirFrames() async throws {
      let module = try SoundModule(.timGM6mb)
      let recording = try LoopbackRecording(substream: 1, seconds: 15)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,1")
      let thread = AudioThread(events: events, module: module, sink: .card(device, latency: .zero))
      let start = MonotonicClock.now + .milliseconds(300)
      play(100, from: start)
      thread.stop(after: start + .milliseconds(10_300))
      let onsets = try await recording.onsets()
      let errors = errors(onsets)
      let counters = thread.counters
      let state = try #require(thread.cardState)
      #expect(onsets.count == 100 && errors.allSatisfy { abs($0) <= 1 }, "\(errors)")
      #expect(counters.hits == 100 && counters.late == 0 && counters.dropped == 0, "\(counters)")
      #expect(counters.underruns == 0, "\(state)")
      #expect(state.status == .playing && state.losses == 0 && abs(state.drift) < 10, "\(state)")
    }

    /// A note is submitted every 250 ms. Each note follows the frames that the card holds already. The configured latency does not delay
    /// the notes. The loopback card takes 192 frames (4 ms) at once, so the delay of the notes varies.
    @Test func noteDelayVariesByAtMostAPeriodAndABlock() async throws {
      // The SoundFont is loaded before the recording begins, because loading can take seconds.
      let module = try SoundModule(.timGM6mb)
      let recording = try LoopbackRecording(substream: 7, seconds: 5)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,7")
      let thread = AudioThread(
        events: events, module: module, sink: .card(device, latency: .seconds(1)))
      // Each marimba note at this velocity falls below the threshold of `onsets()` before the next begins.
      let marimba = Channel(4)!
      let start = MonotonicClock.now + .milliseconds(300)
      for note in 0..<12 {
        let instant = start + .milliseconds(250 * Int64(note))
        MonotonicClock.sleep(until: instant)
        events.push(.message(.noteOn(marimba, key: 84, velocity: 80), at: MonotonicClock.now))
        events.push(.message(.controlChange(marimba, controller: 123, value: 0), at: MonotonicClock.now))
      }
      // The lead is how long before its instant a hit must be submitted. Without the configured latency of 1 s, the lead is the time that
      // the card needs.
      let lead = try #require(thread.cardState).lead - .seconds(1)
      #expect(thread.stop(after: MonotonicClock.now + .milliseconds(300)))
      let onsets = try await recording.onsets()
      let spacings = zip(onsets.dropFirst(), onsets).map { $0 - $1 }
      #expect(thread.counters.messages == 24 && thread.counters.droppedNotes == 0, "\(thread.counters)")
      // 250 ms are 12 000 frames. The delay of a note varies by the 192 frames that the card takes at once and by a block of 64 frames. The
      // limit is a period of 256 frames and a block.
      #expect(onsets.count == 12 && spacings.allSatisfy { abs($0 - 12_000) <= 256 + 64 }, "\(spacings)")
      #expect(lead < .milliseconds(30), "\(lead)")
    }

    @Test func hitsKeepTheirFramesAfterUnderrun() async throws {
      let module = try SoundModule(.timGM6mb)
      let recording = try LoopbackRecording(substream: 2, seconds: 8)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,2")
      let loop = CardLoop(device: device, latency: .zero, module: module, events: events)
      let start = MonotonicClock.now + .milliseconds(300)
      // No hit is due during the pause from 1.5 s to 1.8 s.
      play(15, from: start)
      play(15, from: start + .milliseconds(1_900))
      RealtimeThread(name: "audio", priority: 60) {
        _ = loop.start()
        let pause = start + .milliseconds(1_500)
        while MonotonicClock.now < pause { _ = loop.step() }
        // No step for 300 ms.
        MonotonicClock.sleep(until: pause + .milliseconds(300))
        let end = start + .milliseconds(3_600)
        while MonotonicClock.now < end { _ = loop.step() }
      }.join()
      device.close()
      let onsets = try await recording.onsets()
      let errors = errors(onsets)
      #expect(loop.counters.underruns == 1)
      // The number of silent frames is the sum of 300 ms (14 400 frames), the restart time and the silence that the restart writes, minus
      // the frames that the card held at the beginning of the pause.
      #expect((13_000...17_000).contains(loop.counters.silentFrames), "\(loop.counters)")
      #expect(onsets.count == 30 && errors.allSatisfy { abs($0) <= 1 }, "\(errors)")
      #expect(loop.counters.hits == 30 && loop.counters.late == 0)
    }

    @Test func unpluggedCardIsReopened() async throws {
      let device = try PCMDevice("hw:Loopback,0,3")
      let thread = AudioThread(
        events: events, module: try SoundModule(soundFont: InstalledSoundFont.timGM6mb.path, grid: device.grid),
        sink: .card(device, latency: .zero))
      let start = MonotonicClock.now + .milliseconds(300)
      play(120, from: start)
      #expect(wait(atMost: .seconds(5)) { thread.counters.hits >= 10 })
      let driver = "/sys/bus/platform/drivers/snd_aloop/"
      // Unbinding blocks until no process has the card open.
      try "snd_aloop.0".write(toFile: driver + "unbind", atomically: false, encoding: .utf8)
      #expect(wait(atMost: .seconds(1)) { thread.cardState?.reason == "no such sound card" })
      #expect(wait(atMost: .seconds(2)) { thread.counters.dropped >= 3 }, "\(thread.counters)")
      try "snd_aloop.0".write(toFile: driver + "bind", atomically: false, encoding: .utf8)
      let returned = MonotonicClock.now
      // In the lab, this once took more than 2 s of virtual time. The clock of the lab jumps by 4 ms for each file that the guest requests
      // from the host, for example for ALSA's configuration.
      #expect(wait(atMost: .seconds(5)) { thread.cardState?.status == .playing })
      let recording = try LoopbackRecording(substream: 3, seconds: 4)
      try recording.waitUntilRunning()
      let recordingDelay = MonotonicClock.now - returned
      let onsets = try await recording.onsets()
      let errors = errors(onsets)
      thread.stop(after: MonotonicClock.now)
      let state = try #require(thread.cardState)
      // The first onset may be cut off by the start of the recording, or belong to a hit that was due while the card
      // started. The other onsets are within 10 frames, and within one frame from 2 s after the return of the card.
      // There are ten hits per second. `settled` is the number of recorded hits until 2 s after the return, rounded up.
      let settled = max(1, Int((2 - recordingDelay.seconds) * 10) + 1)
      #expect(onsets.count >= 30 && errors.dropFirst().allSatisfy { abs($0) <= 10 }, "\(errors)")
      #expect(errors.dropFirst(settled).count >= 15 && errors.dropFirst(settled).allSatisfy { abs($0) <= 1 })
      #expect(state.losses == 1 && thread.counters.late <= 1, "\(state) \(thread.counters)")
    }

    /// The card is missing while the thread starts. It plays after it has appeared, and its hits are on their frames.
    @Test func cardThatIsMissingAtTheStartIsUsedWhenItAppears() async throws {
      let driver = "/sys/bus/platform/drivers/snd_aloop/"
      try "snd_aloop.0".write(toFile: driver + "unbind", atomically: false, encoding: .utf8)
      let device = PCMDevice(awaiting: "hw:Loopback,0,7")
      let thread = AudioThread(events: events, module: try SoundModule(.timGM6mb), sink: .card(device, latency: .zero))
      play(120, from: MonotonicClock.now + .milliseconds(300))
      #expect(wait(atMost: .seconds(1)) { thread.cardState?.reason == "no such sound card" })
      #expect(wait(atMost: .seconds(2)) { thread.counters.dropped >= 3 }, "\(thread.counters)")
      try "snd_aloop.0".write(toFile: driver + "bind", atomically: false, encoding: .utf8)
      // In the lab, this once took more than 2 s of virtual time. The clock of the lab jumps by 4 ms for each file that the guest requests
      // from the host, for example for ALSA's configuration.
      #expect(wait(atMost: .seconds(5)) { thread.cardState?.status == .playing })
      let recording = try LoopbackRecording(substream: 7, seconds: 4)
      try recording.waitUntilRunning()
      let onsets = try await recording.onsets()
      let errors = errors(onsets)
      thread.stop(after: MonotonicClock.now)
      let state = try #require(thread.cardState)
      // As after a loss of the card, the onsets are within 10 frames, and the last ones within one frame.
      #expect(onsets.count >= 30 && errors.dropFirst().allSatisfy { abs($0) <= 10 }, "\(errors)")
      #expect(errors.suffix(15).allSatisfy { abs($0) <= 1 }, "\(errors)")
      #expect(state.losses == 0 && thread.counters.late <= 1, "\(state) \(thread.counters)")
    }

    @Test func threeByteSampleFormatIsPlayed() async throws {
      // Under the virtual clock of the lab, reading the SoundFont file from the disk takes up to seconds. The file is therefore read before
      // the recording of 3 s begins.
      let module = try SoundModule(.timGM6mb)
      // The format of the recording is then the only one that the playback side of the loopback card accepts.
      let recording = try LoopbackRecording(substream: 6, format: "S24_3LE", seconds: 3)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,6")
      let thread = AudioThread(events: events, module: module, sink: .card(device, latency: .zero))
      let start = MonotonicClock.now + .milliseconds(300)
      play(15, from: start)
      #expect(thread.stop(after: start + .milliseconds(1_800)))
      let onsets = try await recording.onsets()
      let errors = errors(onsets)
      #expect(onsets.count == 15 && errors.allSatisfy { abs($0) <= 1 }, "\(errors)")
    }

    @Test func reopenAttemptsAreLimitedToFourPerSecond() throws {
      // The test makes the calls of a loop whose card opens at each attempt but never starts.
      let device = try PCMDevice("hw:Loopback,0,5")
      let loop = CardLoop(device: device, latency: .zero, module: nil, events: events)
      let begin = MonotonicClock.now
      for _ in 0..<4 { #expect(loop.waitUntilReopened()) }
      // The card was first opened shortly before `begin`. Four attempts follow at intervals of at least 250 ms. The last one is therefore
      // at least 1 s after the first opening.
      let elapsed = MonotonicClock.now - begin
      #expect(elapsed >= .milliseconds(990) && elapsed < .milliseconds(2_000), "\(elapsed)")
      loop.end(at: MonotonicClock.now)
      #expect(!loop.waitUntilReopened())
    }

    @Test func playbackAllocatesNoMemory() throws {
      let device = try PCMDevice("hw:Loopback,0,4")
      let loop = CardLoop(
        device: device, latency: .zero,
        module: try SoundModule(soundFont: InstalledSoundFont.timGM6mb.path, grid: device.grid), events: events)
      #expect(loop.start())
      for _ in 0..<20 { _ = loop.step() }
      play(40, from: MonotonicClock.now + .milliseconds(100))
      for key in 60..<70 as Range<UInt8> {
        let note = Message.noteOn(Channel(2)!, key: UInt7(masking: key), velocity: 100)
        events.push(.message(note, at: MonotonicClock.now))
      }
      allocation_count_begin()
      for _ in 0..<500 { _ = loop.step() }
      // This pause causes an underrun.
      MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(200))
      for _ in 0..<500 { _ = loop.step() }
      let count = allocation_count_end()
      #expect(count == 0 && loop.counters.hits > 10 && loop.counters.underruns >= 1)
      #expect(loop.counters.messages == 10 && loop.counters.droppedNotes == 0)
      device.close()
    }
  }
}
