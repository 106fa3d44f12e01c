import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

/// What the network thread does: it takes datagrams and what comes to the ALSA ports, with the kernel's time stamps,
/// answers questions about the clock at once, and hands everything on to the control thread.
struct NetworkLoop: ~Copyable {
  let ports: PortPair
  let sequencer: Sequencer?
  let ssrc: UInt32
  let identity: UInt64
  let rings: NetworkRings
  private var known = SourceList()
  /// What probes say of ``ClockProbe/rateLimit``.
  private var pace: UInt16 = 0
  private var probes: ProbeSender
  /// Whether the datagram replies to a probe from here, for which the control thread waits.
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

  /// Takes all that has come, waiting for it a tenth of a second at most.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round() {
    let readable = ports.wait(and: sequencer, milliseconds: 100)
    if let known = rings.known.take() {
      self.known.replace(by: known)
      pace = known.pace
    }
    // Whether anything has come that the control thread is to see at once. What has been answered is a sign of life, and
    // waits until the thread wakes for something else, a tenth of a second at most, or many wait: from many followers
    // thousands come.
    var taken = false
    // Bounded, so that a flood on one port does not keep the others waiting.
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

  /// Answers CK0 and clock probes of peers in session; gives the instant at which the answer left.
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
      // The sender puts in when it leaves.
      let answer = probe.answer(
        from: ssrc, identity: identity, rateLimit: pace, receivedAt: datagram.at, sentAt: datagram.at)
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
