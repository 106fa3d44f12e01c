import Audio
import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import Realtime
import Receiving
import Testing
import Transports
import _TestSupport

@testable import Engine
@testable import RTPMIDI

/// Tests of the network thread on the loopback interface: its replies, its limits, and the events that it passes to other threads.
@Suite struct NetworkLoopTests {
  /// The remote peer knows the local peer by the address 127.0.0.2. Without an explicit source address, the kernel would reply from
  /// 127.0.0.1.
  @Test func clockRepliesLeaveFromTheAddressOfTheRequest() throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = SocketAddress(host: 0x7F00_0001, port: remote.data.port)
    rings.commands.push(
      .receiving(
        .open(slot: 0, SessionID(number: 1), StreamSource(ssrc: 7, address: source, localSSRC: 1), Admission())))
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    let address = SocketAddress(host: 0x7F00_0002, port: local.data.port)

    var requests = ProbeSender(socket: remote.data)
    let now = Instant(nanoseconds: 1)
    var noSealer: DatagramSealer?
    let first = requests.send(
      ClockProbe(ssrc: 7, identity: 9, sentAt: now), to: address, from: nil, sealedBy: &noSealer)
    #expect(first != nil)
    var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
    let isEncoded = ClockPacket(ssrc: 7, sentAt: now).append(to: &packet)
    let isSent = remote.data.send(packet, to: address)
    #expect(isEncoded && isSent)
    loop.round()

    var datagram = Datagram()
    for _ in 0..<2 {
      #expect(remote.receive(on: .data, into: &datagram) && datagram.from == address)
    }
  }

  /// A stranger floods the data port with RTP packets. Only a limited number of them reach the control thread. The dropped packets are
  /// counted. All packets of a known source on the same host arrive, and so do two datagrams at the control port: a packet with the SSRC of
  /// the known source, and an invitation from another host.
  @Test func floodOfAStrangerIsLimitedAndCounted() throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let rings = NetworkRings(bell: Doorbell())
    let source = SocketAddress(host: 0x7F00_0001, port: remote.data.port)
    rings.commands.push(
      .receiving(
        .open(
          slot: 0, SessionID(number: 1), StreamSource(ssrc: 7, address: source, localSSRC: 1), Admission())))
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    let data = SocketAddress(host: 0x7F00_0001, port: local.data.port)
    let controlPort = SocketAddress(host: 0x7F00_0001, port: local.control.port)

    // An RTP packet with a Clock.
    var sequence: UInt16 = 0
    func packet(ssrc: UInt32) -> [UInt8] {
      sequence += 1
      var sender = PacketSender(ssrc: ssrc, sequence: sequence)
      return octets { _ = sender.encode(.clock, at: Instant(nanoseconds: 0), into: &$0) }
    }
    let invitation: [UInt8] = [0xFF, 0xFF, 0x49, 0x4E, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9]
    // The numbers of events of the known source, of events of the stranger, and of control packets.
    var (known, unknown, control) = (0, 0, 0)
    var arrivals: [Instant] = []
    func takeAll() {
      // One round takes at most 16 datagrams from one port.
      for _ in 0..<2 { loop.round() }
      while let event = rings.events.pop() {
        switch event {
        case .datagram: if rings.datagrams.pop() != nil { control += 1 }
        case .reception(.packet): known += 1
        case .reception(.unknownSource(_, _, let arrival)):
          unknown += 1
          arrivals.append(arrival)
        case .reception, .action, .device: break
        }
      }
    }
    // Few datagrams at a time, so that the receive buffer never overruns.
    for _ in 0..<100 {
      for _ in 0..<20 { _ = remote.data.send(packet(ssrc: 8), to: data) }
      for _ in 0..<5 { _ = remote.data.send(packet(ssrc: 7), to: data) }
      takeAll()
    }
    _ = remote.control.send(packet(ssrc: 7), to: controlPort)
    _ = remote.control.send(invitation, to: controlPort, from: SocketAddress(host: 0x7F00_0003, port: 0))
    takeAll()
    #expect(known == 500 && control == 2)
    // The bucket for new sources of RTP packets has a depth of 256 and a rate of 256 per second. The rate applies to the time that the
    // flood took. The upper bound leaves a margin of one packet.
    let duration = try #require(arrivals.max()) - #require(arrivals.min())
    #expect(unknown >= 256 && Double(unknown) <= 257 + 256 * duration.seconds)
    #expect(rings.counters.take()?.limited == Int64(2000 - unknown))
  }

  /// The messages of a peer in session go to both audio threads and to the MIDI recording. Channel 1 carries only activity, so nothing
  /// sounds on it. Notes that a standard device plays on channel 1 sound on channel 16. When the session ends, the notes of the peer end.
  @Test func messagesReachTheAudioThreads() throws {
    let (local, remote) = (try PortPair(port: 0), try PortPair(port: 0))
    defer { local.close() }
    defer { remote.close() }
    let recording = RecordingRings()
    let rings = NetworkRings(bell: Doorbell(), clock: ClockRings(recording: recording), hasSecondAudioThread: true)
    let session = SessionID(number: 1)
    var admission = Admission()
    admission.notes = true
    let source = StreamSource(
      ssrc: 7, address: SocketAddress(host: 0x7F00_0001, port: remote.data.port), localSSRC: 1)
    rings.commands.push(.receiving(.open(slot: 0, session, source, admission)))
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    var sender = PacketSender(ssrc: 7, sequence: 0)
    let data = SocketAddress(host: 0x7F00_0001, port: local.data.port)
    let notes: [Message] = [1, 2].map { .noteOn(Channel($0)!, key: 60, velocity: 100) }
    let before = MonotonicClock.now
    for note in notes {
      _ = remote.data.send(octets { _ = sender.encode(note, at: before, into: &$0) }, to: data)
      loop.round()
    }
    rings.commands.push(.receiving(.close(slot: 0, session)))
    loop.executeCommands()
    let ends: [Message] = [1, 2].map { .noteOff(Channel($0)!, key: 60, velocity: 64) }
    let expected = [notes[0].on(Channel(16)), notes[1], ends[0].on(Channel(16)), ends[1]]
    for ring in [rings.clock.sound.first.messages, rings.clock.sound.recording.messages] {
      var events: [SoundEvent] = []
      while let event = ring.pop() { events.append(event) }
      #expect(events.map(\.kind) == expected.map { .message($0) })
      #expect(events.allSatisfy { $0.submitted >= before && $0.submitted <= MonotonicClock.now })
    }
    var recorded: [SoundedMessage] = []
    while let sounded = recording.messages.pop() { recorded.append(sounded) }
    #expect(recorded.map(\.message) == expected && recorded.allSatisfy { $0.session == session })
    #expect(recorded.allSatisfy { $0.instant >= before && $0.instant <= MonotonicClock.now })
    var copies: [Message] = []
    while let event = rings.events.pop() {
      switch event {
      case .reception(.message(_, let message, _, _, _, isAdmitted: true)), .reception(.released(_, let message)):
        copies.append(message)
      default: break
      }
    }
    #expect(copies == notes + ends, "the control thread gets the messages on their own channels")
  }

  /// The notes that the local player begins are reported with their velocity. Ends of notes and controllers are not reported.
  @Test func notesOfThePlayerAreReportedAsActions() throws {
    let local = try PortPair(port: 0)
    defer { local.close() }
    let rings = NetworkRings(bell: Doorbell())
    var loop = NetworkLoop(ports: local, sequencer: nil, identity: 2, rings: rings)
    let channel = Channel(2)!
    let before = MonotonicClock.now
    for message: Message in [
      .noteOn(channel, key: 60, velocity: 100), .noteOn(channel, key: 60, velocity: 0),
      .controlChange(channel, controller: 1, value: 5), .noteOff(channel, key: 60, velocity: 64),
      .noteOn(channel, key: 61, velocity: 1),
    ] {
      rings.commands.push(.receiving(.play(message)))
    }
    loop.executeCommands()
    var forces: [UInt8] = []
    while let event = rings.events.pop() {
      guard case .action(let instant, let force) = event else { continue }
      forces.append(force)
      #expect(instant >= before && instant <= MonotonicClock.now)
    }
    #expect(forces == [100, 1])
  }
}
