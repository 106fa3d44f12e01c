import CALSA
import Glibc
import MIDI
import MusicalTime
import Realtime
import Testing
import _TestSupport

@testable import Transports

extension LabTests {
  @Suite struct SequencerTests {
    @Test(arguments: [UInt64(1), 2]) func messagesArriveUnchangedWithKernelTimeStamps(seed: UInt64) throws {
      let (sender, receiver) = try pair(from: .notes, to: .input)
      defer { close(sender, receiver) }
      var last = Instant(nanoseconds: 0)
      var worst = Nanoseconds.zero
      for message in everyMessage(seed: seed) {
        let before = MonotonicClock.now
        #expect(sender.send(message, from: .notes))
        let after = MonotonicClock.now
        let arrival = try #require(receiver.receiveMessage())
        try #require(arrival.message == message)
        // Port 1 is "notes".
        #expect(arrival.from == SequencerAddress(client: sender.client, port: 1) && arrival.port == .input)
        #expect(arrival.at >= last)
        // The largest error of a time stamp: by how much it precedes the call of `send`, or follows the return of `send`.
        worst = max(worst, before - arrival.at, arrival.at - after)
        last = arrival.at
      }
      #expect(receiver.receiveMessage() == nil)
      // The tolerance is for the conversion of the stamps to CLOCK_MONOTONIC (``QueueClock``).
      #expect(worst < .milliseconds(1))
    }

    /// The time stamp of a message is the instant of its arrival, not of the later call of `receive()`. Exception: ``QueueClock`` replaces
    /// a stamp that is older than one second by the current time.
    @Test func timeStampIsTheArrivalInstant() async throws {
      let (sender, receiver) = try pair(from: .clock, to: .clockInput)
      defer { close(sender, receiver) }
      var sent: [Instant] = []
      for _ in 0..<20 {
        sent.append(MonotonicClock.now)
        #expect(sender.send(.clock, from: .clock))
        try await pause(for: .milliseconds(7))
      }
      let arrivals = receiver.receiveMessages()
      #expect(arrivals.count == sent.count)
      for (arrival, instant) in zip(arrivals, sent) {
        #expect(arrival.port == .clockInput)
        #expect(arrival.at >= instant - .milliseconds(1) && arrival.at <= instant + .milliseconds(1))
      }
      try await pause(for: .milliseconds(1100))
      #expect(sender.send(.clock, from: .clock))
      try await pause(for: .milliseconds(1100))
      let late = try #require(receiver.receiveMessage())
      #expect(MonotonicClock.now - late.at < .milliseconds(1), "older than one second: the current time")
    }

    @Test func messageToOneAddressReachesOnlyThisAddress() throws {
      let (sender, first) = try pair(from: .clock, to: .input)
      let second = try Sequencer(name: "Second", takingClock: false)
      defer { close(sender, first, second) }
      let secondInput = SequencerAddress(client: second.client, port: Sequencer.Port.input.number)
      try sender.subscribe(SequencerLink(.clock, secondInput))
      _ = (first.receiveMessages(), second.receiveMessages())
      #expect(
        sender.send(.songPosition(64), from: .clock, to: secondInput)
          && sender.send(.continue, from: .clock, to: secondInput))
      #expect(sender.send(.clock, from: .clock))
      #expect(first.receiveMessages().compactMap(\.message) == [.clock])
      #expect(second.receiveMessages().compactMap(\.message) == [.songPosition(64), .continue, .clock])
      // No client has the number 190.
      #expect(!sender.send(.clock, from: .clock, to: SequencerAddress(client: 190, port: 0)))
    }

    @Test func floodIsCountedAndLaterMessagesArrive() throws {
      let (sender, receiver) = try pair(from: .notes, to: .input)
      defer { close(sender, receiver) }
      let refused = (0..<10_000).count { _ in !sender.send(.clock, from: .notes) }
      // The input pool of the receiver holds 2000 events. When the receiver reads the overflow, the kernel drops all of them.
      #expect(refused == 8_000)
      #expect(try #require(receiver.receiveMessage()).isOverflow)
      #expect(receiver.receiveMessage() == nil)
      for step in 0..<100 {
        let message = Message.noteOn(Channel(1)!, key: UInt7(clamping: step), velocity: 1)
        #expect(sender.send(message, from: .notes))
      }
      let keys = receiver.receiveMessages().compactMap(\.message)
      #expect(keys == (0..<100).map { .noteOn(Channel(1)!, key: UInt7(clamping: $0), velocity: 1) })
    }

    /// A subscriber that does not read has a full input pool after 2000 of the 5000 events. The other subscriber still gets all events.
    @Test func sleepingSubscriberDoesNotAffectOthers() throws {
      let (sender, sleeping) = try pair(from: .clock, to: .input)
      let awake = try Sequencer(name: "Awake", takingClock: false)
      defer { close(sender, sleeping, awake) }
      // Port 2 is "in".
      try sender.subscribe(SequencerLink(.clock, SequencerAddress(client: awake.client, port: 2)))
      _ = awake.receiveMessages()
      var received = 0
      for _ in 0..<5_000 {
        _ = sender.send(.clock, from: .clock)
        received += awake.receiveMessages().count
      }
      #expect(received == 5_000)
    }

    @Test func systemExclusiveOfAnyLengthIsIgnoredAndDoesNotBlock() throws {
      let receiver = try Sequencer(name: "Receiver", takingClock: false)
      let other = try OtherClient("Dump", port: "out")
      defer { receiver.close() }
      try receiver.subscribe(SequencerLink(.input, other.address))
      _ = receiver.receiveMessages()
      for length in [1, 27, 28, 29, 300, 20_000, 50_000] {
        #expect(other.sendVariable(SND_SEQ_EVENT_SYSEX, length: length))
        #expect(other.send(snd_seq_event_t(.start), to: SequencerAddress(client: receiver.client, port: 2)))
        let arrivals = receiver.receiveMessages()
        #expect(
          arrivals.count == 2 && arrivals.first?.isIgnored == true && arrivals.last?.message == .start, "\(length)")
      }
      // The kernel stores the data in cells of 28 octets, and the input pool of the receiver has 2000 cells: 56 000 octets.
      #expect(!other.sendVariable(SND_SEQ_EVENT_SYSEX, length: 60_000))
      #expect(try #require(receiver.receiveMessage()).isOverflow && receiver.receiveMessage() == nil)
    }

    /// Only the System client can announce, and only the kernel can set time stamps.
    @Test func forgedAnnouncementsAndStampsHaveNoEffect() throws {
      let receiver = try Sequencer(name: "Receiver", takingClock: false)
      let other = try OtherClient("Forger", port: "out")
      defer { receiver.close() }
      _ = receiver.receiveMessages()
      var forged = snd_seq_event_t(.clock)
      forged.type = UInt8(SND_SEQ_EVENT_PORT_EXIT.rawValue)
      forged.source.client = 0
      // Port 2 is "in", and port 4 is the port for announcements.
      for port in [UInt8(2), 4] { _ = other.send(forged, to: SequencerAddress(client: receiver.client, port: port)) }
      let arrivals = receiver.receiveMessages()
      // Both events are reported as ignored, with their true source. `receiveMessages` would omit an accepted announcement.
      #expect(arrivals.count == 2 && arrivals.allSatisfy { $0.isIgnored && $0.from == other.address })
      // A time stamp of 7 s. Flag 1 is SND_SEQ_TIME_STAMP_REAL.
      var stamped = snd_seq_event_t(.clock)
      (stamped.flags, stamped.time.time.tv_sec) = (1, 7)
      let before = MonotonicClock.now
      #expect(other.send(stamped, to: SequencerAddress(client: receiver.client, port: 2)))
      let arrival = try #require(receiver.receiveMessage())
      #expect(arrival.at >= before - .milliseconds(1) && arrival.at <= MonotonicClock.now)
    }

    @Test func waitReportsBufferedEventsOfTheSequencer() throws {
      let (sender, receiver) = try pair(from: .clock, to: .input)
      let ports = try PortPair(port: 0)
      defer {
        ports.close()
        close(sender, receiver)
      }
      #expect(ports.wait(and: receiver, milliseconds: 0) == (false, false, false))
      #expect(Self.roundTrip(sender, receiver, ports) == 3)
      #expect(ports.wait(and: receiver, milliseconds: 0) == (false, false, false))
    }

    /// The operations of the clock and network threads. The debug build proves that they neither allocate nor lock.
    @_noLocks @_noAllocation
    private static func roundTrip(_ sender: Sequencer, _ receiver: Sequencer, _ ports: PortPair) -> Int {
      var sent = 0
      while sent < 3, sender.send(.clock, from: .clock) { sent += 1 }
      var received = 0
      // `receive` is called only after `wait` has reported an event. The second and the third event are in the library's buffer,
      // where they do not make the descriptor readable. `wait` has to report them nevertheless.
      while ports.wait(and: receiver, milliseconds: 100).sequencer, let arrival = receiver.receive() {
        if case .message(.clock) = arrival.event { received += 1 }
      }
      return received
    }

    @Test func errorNamesThePortThatCannotBeConnected() throws {
      let sequencer = try Sequencer(name: "Tutti test", takingClock: false)
      defer { sequencer.close() }
      // No client has the number 190. Client 14 is Midi Through.
      let missing = SequencerLink(.input, SequencerAddress(client: 190, port: 0))
      let error = #expect(throws: TransportError.self) { try sequencer.subscribe(missing) }
      #expect(error?.description == "port 190:0: no such port; give a port that `tutti ports` lists")
      #expect(throws: TransportError.self) { try sequencer.unsubscribe(missing) }
      let through = SequencerLink(.clock, SequencerAddress(client: 14, port: 0))
      try sequencer.subscribe(through)
      #expect(throws: Never.self, "the ports are already connected") { try sequencer.subscribe(through) }
      #expect(sequencer.links() == [through])
      try sequencer.unsubscribe(through)
      #expect(sequencer.links() == [])
    }

    /// Creates two connected clients without pending arrivals. With `takingClock`, a client also has the port `clock in`.
    private func pair(
      from output: Sequencer.Port, to input: Sequencer.Port
    ) throws -> (sender: Sequencer, receiver: Sequencer) {
      let sender = try Sequencer(name: "Sender", takingClock: false)
      let receiver = try Sequencer(name: "Receiver", takingClock: true)
      try sender.subscribe(SequencerLink(output, SequencerAddress(client: receiver.client, port: input.number)))
      _ = (sender.receiveMessages(), receiver.receiveMessages())
      return (sender, receiver)
    }

    private func close(_ sequencers: Sequencer...) { for sequencer in sequencers { sequencer.close() } }
  }
}

@Suite struct NoSequencerTests {
  @Test(.enabled(if: !Lab.hasSequencer, "this machine has a sequencer"))
  func errorForAMissingSequencerHasReasonAndRemedy() {
    let words = "ALSA sequencer: /dev/snd/seq does not exist; run `modprobe snd-seq` as root"
    let opening = #expect(throws: TransportError.self) { try Sequencer(name: "Tutti", takingClock: false) }
    #expect(opening?.description == words)
    let alternative = #expect(throws: TransportError.self) {
      try Sequencer(name: "Tutti", takingClock: false, alternative: ", or omit --midi")
    }
    #expect(alternative?.description == words + ", or omit --midi")
    let listing = #expect(throws: TransportError.self) { try Sequencer.ports() }
    #expect(listing?.description == words)
  }
}
