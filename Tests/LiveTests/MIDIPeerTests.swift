import Ensemble
import MIDI
import Measurement
import MusicalTime
import Realtime
import Testing
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Tests of complete peers in this process with ALSA sequencer ports, in real time. The tests connect programs to these ports.
  @Suite(.enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)")) struct MIDIPeerTests {
    /// Starts two peers and waits until they are in session. `configure` changes the configuration of ada.
    private func pair(
      configure: (inout PeerConfiguration) -> Void = { _ in }
    ) async throws -> (ada: LivePeer, ben: LivePeer) {
      let folder = try TemporaryFolder()
      let ben = try LivePeer("ben", folder: folder) { $0.midi = true }
      let ada = try LivePeer("ada", folder: folder, connect: [ben.port]) {
        $0.midi = true
        configure(&$0)
      }
      try await ada.waitForLog("joined")
      try await ben.waitForLog("joined")
      return (ada, ben)
    }

    /// Random channel messages of all kinds.
    private func channelMessages(_ count: Int, seed: UInt64) -> [Message] {
      var random = SplitMix(seed: seed)
      var value: UInt7 { UInt7(masking: UInt8(truncatingIfNeeded: random.next())) }
      return (0..<count).map { _ in
        let status = UInt8(random.integer(in: 0x80...0xEF))
        return Message.dataCount(status: status) == 1
          ? Message(status: status, value)! : Message(status: status, value, value)!
      }
    }

    /// A keyboard sends messages to ada, and a synthesizer receives them from the notes port of ben. At the same time, the rhythm plays
    /// and loses no tick.
    @Test func notesOfAProgramReachTheProgramsOfTheOtherPeerInOrder() async throws {
      let (ada, ben) = try await pair { $0.start = true }
      let (keyboard, synthesizer, monitor) = (
        try MIDIProgram("Keyboard"), try MIDIProgram("Synthesizer"), try MIDIProgram("Monitor")
      )
      try keyboard.play(into: "ada in")
      try synthesizer.subscribe(to: "ben notes")
      try monitor.subscribe(to: "ada notes")
      try await ada.waitForLog("master")
      try await ada.waitForLog("plays on MIDI channel")
      // Wait until the first presence of ben has told ada the channel of ben, for up to five seconds. At this moment, ada sends its
      // earlier controllers to ben again. During the comparison below, these messages would be unexpected.
      for _ in 0..<250 where !ada.log.contains(where: { $0.contains("ben: channel") }) {
        ada.mailbox.post(.showRoster)
        try await pause(for: .milliseconds(20))
      }
      let channel = try #require(
        ada.log.last { $0.contains("MIDI channel") }?.split(separator: " ").last.flatMap { Int($0) }.flatMap(
          Channel.init))
      // Three kinds of messages do not reach ben unchanged, so they are omitted:
      // - Expression on channel 1 sets the activity of the player, and is not sent to other peers.
      // - A controller on the channel of ben changes the sound of ben's instrument (ShapingTests). Two peers have the channels 2 and
      //   3, so the channel of ben is 5 minus the channel of ada.
      // - A message that ends all notes of one channel is sent as Note Offs while notes of another channel sound (AllNotesOffTests).
      //   Ada sends all channels except 10 on its own channel, so the message itself would also end the notes of the other channel.
      let other = Channel(5 - channel.number)!
      let messages = channelMessages(400, seed: 3).filter {
        switch $0 {
        case .controlChange(Channel(wire: 0), 11, _), .controlChange(other, _, _): false
        default: !$0.endsAllNotes
        }
      }
      var heard: [Message] = []
      for (n, message) in messages.enumerated() {
        #expect(keyboard.play(message))
        // A peer does not send the Active Sensing and the MIDI clock of its programs to other peers. One log line reports the unused
        // clock.
        if n % 50 == 0 { #expect(keyboard.play(.activeSensing) && keyboard.play(.clock)) }
        if n % 20 == 0 { try await pause(for: .milliseconds(15)) }
        heard += synthesizer.takeMessages()
      }
      // Waits for the last messages, for up to five seconds.
      for _ in 0..<250 where heard.count < messages.count {
        try await pause(for: .milliseconds(20))
        heard += synthesizer.takeMessages()
      }
      // Ada sends all messages on the channel of its player, except messages on the drum channel 10.
      #expect(heard == messages.map { $0.channel == Channel(10) ? $0 : $0.on(channel) })
      #expect(monitor.takeMessages() == [], "the notes port of a peer does not repeat the messages of its own programs")
      ada.mailbox.post(.startOrStop)
      try await ada.waitForLog("the rhythm stopped")
      try await ben.waitForLog("the rhythm stopped")
      let traces = try [ada.leave(), ben.leave()]
      for trace in traces {
        expectConsecutiveTicks(trace)
        #expect(trace.summary?.others["midi_dropped"] == 0 && trace.summary?.others["midi_overflows"] == 0)
      }
      #expect(traces[1].summary?.ticksReceived == traces[1].summary?.ticksExpected)
      #expect(ada.log.count { $0.contains("--clock-from") } == 1)
    }

    /// A keyboard holds a key and a pedal. Then the keyboard is disconnected, or its program ends.
    @Test(arguments: [false, true]) func notesOfADisconnectedProgramEndAtTheOtherPeer(endsProgram: Bool) async throws {
      let (ada, ben) = try await pair()
      var keyboard: MIDIProgram? = try MIDIProgram("Keyboard")
      let synthesizer = try MIDIProgram("Synthesizer")
      try keyboard?.play(into: "ada in")
      try synthesizer.subscribe(to: "ben notes")
      try await ada.waitForLog("plays on MIDI channel")
      var heard: [Message] = []
      func hear(_ count: Int) async throws {
        for _ in 0..<250 where heard.count < count {
          try await pause(for: .milliseconds(20))
          heard += synthesizer.takeMessages()
        }
      }
      // Ada does not change the channel of a message on the drum channel.
      let drums = Channel(10)!
      #expect(keyboard?.play(.controlChange(drums, controller: 64, value: 127)) == true)
      #expect(keyboard?.play(.noteOn(drums, key: 60, velocity: 100)) == true)
      try await hear(2)
      if endsProgram { keyboard = nil } else { try keyboard?.stopPlaying(into: "ada in") }
      try await hear(4)
      #expect(
        heard.suffix(2) == [
          .noteOff(drums, key: 60, velocity: 64), .controlChange(drums, controller: 64, value: 0),
        ])
      _ = try (ada.leave(), ben.leave())
    }

    /// The external clock starts at the beginning, or at a Song Position, which is given in sixteenth notes. A sixteenth note has six
    /// ticks. The clock sends 240 ticks from this position on.
    @Test(arguments: [0, 32]) func masterAndFollowerPlayInStepWithAnExternalClock(position: Int64) async throws {
      let drums = try MIDIProgram("Drums")
      let (ada, ben) = try await pair { $0.clockFrom = [.port("Drums clock")] }
      let first: [Message] = position == 0 ? [.start] : [.songPosition(UInt14(clamping: Int(position))), .continue]
      let origin = MonotonicClock.now + .milliseconds(500)
      drums.sendClock(0..<240, since: origin, first: first, last: [.stop])
      try await ada.waitForLog("the rhythm stopped")
      try await ben.waitForLog("the rhythm stopped")
      let begin = 6 * position
      let traces = try [ada.leave(), ben.leave()]
      for trace in traces {
        try expectInStep(
          trace, since: MIDIProgram.dueTime(of: -begin, since: origin), entering: begin...begin + 24,
          ending: begin + 239
        )
      }
      #expect(traces.map(\.summary?.role) == ["master", "follower"])
      #expect(traces[1].summary?.ticksReceived == traces[1].summary?.ticksExpected)
      #expect(!ada.log.contains { $0.contains("disappeared") || $0.contains("no ticks") })
    }

    /// The device is unplugged after tick 149. It continues to count its ticks. Before tick 290, it is plugged in again with another
    /// client number. Without the device, the peer continues the rhythm. Afterwards, the peer is in step with the device again. The
    /// peer neither omits nor repeats a tick.
    @Test func rhythmIsInStepAgainAfterTheExternalClockReturns() async throws {
      var drums: MIDIProgram! = try MIDIProgram("Drums")
      let address = drums.address
      let (ada, ben) = try await pair { $0.clockFrom = [.port("Drums clock")] }
      let origin = MonotonicClock.now + .milliseconds(500)
      drums.sendClock(0..<150, since: origin, first: [.start])
      drums = nil
      // Another program gets the client number of the drums.
      let other = try MIDIProgram("Other")
      #expect(other.address == address, "the other program does not have the former client number of the drums")
      try await ada.waitForLog("Drums clock: disappeared")
      try await ada.waitForLog("sends no ticks")
      MonotonicClock.sleep(until: MIDIProgram.dueTime(of: 290, since: origin) - .milliseconds(100))
      drums = try MIDIProgram("Drums")
      drums.sendClock(290..<500, since: origin, last: [.stop])
      try await ada.waitForLog("the rhythm stopped")
      try await ben.waitForLog("the rhythm stopped")
      for trace in try [ada.leave(), ben.leave()] {
        try expectInStep(trace, since: origin, entering: 0...24, ending: 499)
      }
      let lines = ada.log.filter { $0.contains("Drums clock") }
      #expect(
        lines == [
          "MIDI port Drums clock: disappeared; it is connected again when it returns",
          "external clock Drums clock: sends no ticks; the rhythm continues at the last tempo; "
            + "connect or start the clock again, offer the role of master (key h), or leave (key q)",
          "MIDI port Drums clock: connected again",
          "external clock Drums clock: sends ticks again",
        ])
    }

    /// Expects consecutive ticks. The first tick is in `entering`, and the last tick is at most 24 ticks after `last`. From two quarter
    /// notes after the first tick on, each tick is due within 3 ms of the same tick of the clock whose tick 0 is at `origin`.
    private func expectInStep(
      _ trace: Trace, since origin: Instant, entering: ClosedRange<Int64>, ending last: Int64
    ) throws {
      let (first, end) = (try #require(trace.ticks.first).tick.index, try #require(trace.ticks.last).tick.index)
      #expect(entering.contains(first), "\(trace.header.name) begins at \(first)")
      #expect((last...last + 24).contains(end), "\(trace.header.name) ends at \(end)")
      expectConsecutiveTicks(trace, from: first)
      let steady = trace.ticks.filter { $0.tick.index >= first + 48 && $0.tick.index <= last }
      let errors = steady.map { ($0.due - MIDIProgram.dueTime(of: $0.tick.index, since: origin)).magnitude }
      let worst = try #require(errors.max())
      #expect(worst < .milliseconds(3), "\(trace.header.name): \(worst.microseconds) us off")
    }
  }
}
