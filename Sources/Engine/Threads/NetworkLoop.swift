import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

/// The work of the network thread: receives datagrams and ALSA events with the kernel's time stamps, answers clock probes
/// and CK0 immediately, and passes everything on to the control thread.
struct NetworkLoop: ~Copyable {
  let ports: PortPair
  let sequencer: Sequencer?
  let ssrc: UInt32
  let identity: UInt64
  let rings: NetworkRings
  private var known = SourceList()
  /// The ``ClockProbe/rateLimit`` in replies.
  private var rateLimit: UInt16 = 0
  private var probes: ProbeSender
  /// Whether the datagram is the reply to a local probe. The control thread waits for replies.
  private var isReply = false
  private var datagram = Datagram()
  private var question = RigidArray<UInt8>(capacity: ClockProbe.length)
  private var reply = RigidArray<UInt8>(capacity: ClockPacket.length)

  init(ports: PortPair, sequencer: Sequencer?, ssrc: UInt32, identity: UInt64, rings: NetworkRings) {
    self.ports = ports
    self.sequencer = sequencer
    self.ssrc = ssrc
    self.identity = identity
    self.rings = rings
    probes = ProbeSender(socket: ports.data)
  }

  /// Waits for input for at most 100 ms, then takes everything that has arrived.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round() {
    let readable = ports.wait(and: sequencer, milliseconds: 100)
    if let known = rings.known.take() {
      self.known.replace(by: known)
      rateLimit = known.probeRateLimit
    }
    // Whether the control thread has to wake now. A datagram that was answered here only shows that the peer is alive. It
    // waits until the control thread wakes for another reason (at most 100 ms) or until many datagrams wait: many followers
    // send thousands of probes per second.
    var taken = false
    // A limit for each port, so that a flood on one port does not block the other ports.
    var most = 64
    while readable.data, most > 0, ports.receive(on: .data, into: &datagram) {
      most -= 1
      isReply = false
      datagram.answeredAt = answer()
      if isReply { taken = true }
      if case nil = datagram.answeredAt { taken = true }
      rings.datagrams.push(datagram)
    }
    most = 64
    while readable.control, most > 0, ports.receive(on: .control, into: &datagram) {
      most -= 1
      taken = true
      rings.datagrams.push(datagram)
    }
    most = 64
    if readable.sequencer, let sequencer {
      while most > 0, let arrival = sequencer.receive() {
        most -= 1
        taken = true
        rings.arrivals.push(arrival)
      }
    }
    if rings.datagrams.count >= 256 { taken = true }
    if taken { rings.bell.ring() }
  }

  /// Answers CK0 and clock probes of peers in session. Returns the instant at which the answer left, or nil.
  @_noLocks @_noAllocation
  private mutating func answer() -> Instant? {
    question.removeAll()
    var index = 0
    while index < datagram.count, index < ClockProbe.length {
      question.append(datagram.octets[index])
      index += 1
    }
    if let probe = ClockProbe(question), known.contains(probe.ssrc, at: datagram.from) {
      if case .reply = probe.kind { isReply = true }
      // The probe sender overwrites the send instant.
      let answer = probe.answer(
        from: ssrc, identity: identity, rateLimit: rateLimit, receivedAt: datagram.at, sentAt: datagram.at)
      guard let answer else { return nil }
      return probes.send(answer, to: datagram.from)
    }
    if let packet = ClockPacket(question), packet.count == 0, known.contains(packet.ssrc, at: datagram.from) {
      reply.removeAll()
      let now = MonotonicClock.now
      guard let answer = packet.reply(from: ssrc, sentAt: now), answer.append(to: &reply) else { return nil }
      return ports.data.send(reply, to: datagram.from) ? now : nil
    }
    return nil
  }
}
