import Ensemble
import MIDI
import Measurement
import MusicalTime
import Realtime
import Testing
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Whole peers of this process with ALSA ports, in real time, and the programs at those ports.
  @Suite(.enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)")) struct MIDIPeerTests {
    /// Two peers in session; ada is the one that the programs play into.
    private func pair(
      configure: (inout PeerConfiguration) -> Void = { _ in }
    ) async throws -> (ada: Player, ben: Player) {
      let folder = try TemporaryFolder()
      let ben = try Player("ben", folder: folder) { $0.midi = true }
      let ada = try Player("ada", folder: folder, connect: [ben.port]) {
        $0.midi = true
        configure(&$0)
      }
      try await ada.says("joined")
      try await ben.says("joined")
      return (ada, ben)
    }

    /// Messages of channels of every kind, at random.
    private func channelMessages(_ count: Int, seed: UInt64) -> [Message] {
      var random = SplitMix(seed: seed)
      var value: UInt7 { UInt7(masking: UInt8(truncatingIfNeeded: random.next())) }
      return (0..<count).map { _ in
        let status = UInt8(random.integer(in: 0x80...0xEF))
        return Message.dataCount(status: status) == 1
          ? Message(status: status, value)! : Message(status: status, value, value)!
      }
    }

    /// While the rhythm plays, whose ticks have to come all the same.
    @Test func whatOnePlaysTheOthersProgramsHearInOrder() async throws {
      let (ada, ben) = try await pair { $0.start = true }
      let (keyboard, synthesizer, monitor) = (
        try Instrument("Keyboard"), try Instrument("Synthesizer"), try Instrument("Monitor")
      )
      try keyboard.play(into: "ada in")
      try synthesizer.hear("ben notes")
      try monitor.hear("ada notes")
      try await ada.says("master")
      try await ada.says("plays on MIDI channel")
      let channel = try #require(
        ada.said.last { $0.contains("MIDI channel") }?.split(separator: " ").last.flatMap { Int($0) }.flatMap(
          Channel.init))
      // What sets the player's activity is no message to anybody.
      let messages = channelMessages(400, seed: 3).filter {
        if case .controlChange(Channel(wire: 0), 11, _) = $0 { false } else { true }
      }
      var heard: [Message] = []
      for (n, message) in messages.enumerated() {
        #expect(keyboard.play(message))
        // What is for the keyboard's own devices stays here, and is said once.
        if n % 50 == 0 { #expect(keyboard.play(.activeSensing) && keyboard.play(.clock)) }
        if n % 20 == 0 { try await Task.sleep(for: .milliseconds(15)) }
        heard += synthesizer.heard()
      }
      for _ in 0..<250 where heard.count < messages.count {
        try await Task.sleep(for: .milliseconds(20))
        heard += synthesizer.heard()
      }
      // On the player's own channel, but for the drums.
      #expect(heard == messages.map { $0.channel == Channel(10) ? $0 : $0.on(channel) })
      #expect(monitor.heard() == [], "they are told to the others, not to those who hear them already")
      ada.mailbox.post(.startOrStop)
      try await ada.says("the rhythm stopped")
      try await ben.says("the rhythm stopped")
      let traces = try [ada.leave(), ben.leave()]
      for trace in traces {
        expectEveryTick(trace)
        #expect(trace.summary?.others["midi_dropped"] == 0 && trace.summary?.others["midi_overflows"] == 0)
      }
      #expect(traces[1].summary?.ticksReceived == traces[1].summary?.ticksExpected)
      #expect(ada.said.count { $0.contains("--clock-from") } == 1)
    }

    /// From the beginning, or from where Song Position says, in sixteenth notes.
    @Test(arguments: [0, 32]) func aClockFromOutsideIsKeptAndGivenOn(position: Int64) async throws {
      let drums = try Instrument("Drums")
      let (ada, ben) = try await pair { $0.clockFrom = [.port("Drums clock")] }
      let first: [Message] = position == 0 ? [.start] : [.songPosition(UInt14(clamping: Int(position))), .continue]
      let origin = MonotonicClock.now + .milliseconds(500)
      drums.keepTime(0..<240, since: origin, first: first, last: [.stop])
      try await ada.says("the rhythm stopped")
      try await ben.says("the rhythm stopped")
      let begin = 6 * position
      let traces = try [ada.leave(), ben.leave()]
      for trace in traces {
        try expectInStep(
          trace, since: Instrument.moment(of: -begin, since: origin), entering: begin...begin + 24, ending: begin + 239)
      }
      #expect(traces.map(\.summary?.role) == ["master", "follower"])
      #expect(traces[1].summary?.ticksReceived == traces[1].summary?.ticksExpected)
      #expect(!ada.said.contains { $0.contains("disappeared") || $0.contains("no ticks") })
    }

    /// The device is unplugged, plays on, and is plugged in again with another number: the peer has played on too, and
    /// is in step with it, no step lost or doubled.
    @Test func aClockThatVanishesAndReturnsIsKeptAgain() async throws {
      var drums: Instrument! = try Instrument("Drums")
      let address = drums.address
      let (ada, ben) = try await pair { $0.clockFrom = [.port("Drums clock")] }
      let origin = MonotonicClock.now + .milliseconds(500)
      drums.keepTime(0..<150, since: origin, first: [.start])
      drums = nil
      let other = try Instrument("Other")
      #expect(other.address == address, "somebody else has its number meanwhile")
      try await ada.says("Drums clock: disappeared")
      try await ada.says("sends no ticks")
      MonotonicClock.sleep(until: Instrument.moment(of: 290, since: origin) - .milliseconds(100))
      drums = try Instrument("Drums")
      drums.keepTime(290..<500, since: origin, last: [.stop])
      try await ada.says("the rhythm stopped")
      try await ben.says("the rhythm stopped")
      for trace in try [ada.leave(), ben.leave()] {
        try expectInStep(trace, since: origin, entering: 0...24, ending: 499)
      }
      let news = ada.said.filter { $0.contains("Drums clock") }
      #expect(
        news == [
          "MIDI port Drums clock: disappeared; it is connected again when it returns",
          "external clock Drums clock: sends no ticks; the rhythm continues at the last tempo",
          "MIDI port Drums clock: connected again",
          "external clock Drums clock: sends ticks again",
        ])
    }

    /// One run of ticks, each once, in order, that comes in early enough and ends soon after `last`; from two quarters
    /// on within 3 ms of the clock whose tick 0 was at `origin`.
    private func expectInStep(
      _ trace: Trace, since origin: Instant, entering: ClosedRange<Int64>, ending last: Int64
    ) throws {
      let (first, end) = (try #require(trace.ticks.first).tick.index, try #require(trace.ticks.last).tick.index)
      #expect(entering.contains(first), "\(trace.header.name) begins at \(first)")
      #expect((last...last + 24).contains(end), "\(trace.header.name) ends at \(end)")
      expectEveryTick(trace, from: first)
      let steady = trace.ticks.filter { $0.tick.index >= first + 48 && $0.tick.index <= last }
      let errors = steady.map { ($0.due - Instrument.moment(of: $0.tick.index, since: origin)).magnitude }
      let worst = try #require(errors.max())
      #expect(worst < .milliseconds(3), "\(trace.header.name): \(worst.microseconds) us off")
    }
  }
}
