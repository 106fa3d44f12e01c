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
  let identity: UInt64
  let rings: NetworkRings
  private var known = SourceList()
  /// The largest number of datagrams or events that one call of ``round()`` takes from one port.
  private static var maximumPerPort: Int { @_noLocks @_noAllocation get { 64 } }
  /// The number of waiting datagrams that wakes the control thread in any case.
  private static var wakeThreshold: Int { @_noLocks @_noAllocation get { 256 } }

  /// The ``ClockProbe/rateLimit`` in replies.
  private var rateLimit: UInt16 = 0
  private var probes: ProbeSender
  /// The received datagram.
  private var datagram = Datagram()
  /// Whether ``datagram`` is the reply to a local probe. The control thread waits for replies.
  private var isReply = false
  /// The first octets of ``datagram``, to be decoded as a clock probe or a clock packet (CK).
  private var firstOctets = RigidArray<UInt8>(capacity: ClockProbe.length)
  /// The reply to a clock packet.
  private var reply = RigidArray<UInt8>(capacity: ClockPacket.length)

  init(ports: PortPair, sequencer: Sequencer?, identity: UInt64, rings: NetworkRings) {
    self.ports = ports
    self.sequencer = sequencer
    self.identity = identity
    self.rings = rings
    probes = ProbeSender(socket: ports.data)
  }

  /// Waits for input for at most 100 ms, then takes what has arrived, answers it and passes it on to the control thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round() {
    let readable = ports.wait(and: sequencer, milliseconds: 100)
    if let known = rings.known.take() {
      self.known.replace(by: known)
      rateLimit = known.probeRateLimit
    }
    // Many followers send thousands of probes per second. Not every one of them may wake the control thread: to that thread,
    // a datagram that was answered here only shows that the peer is alive. Such a datagram stays in the ring until the
    // control thread wakes for another reason (after at most 100 ms), or until many datagrams wait.
    var wakesControl = false
    // A limit for each port, so that a flood on one port does not block the other ports.
    var remaining = Self.maximumPerPort
    while readable.data, remaining > 0, ports.receive(on: .data, into: &datagram) {
      remaining -= 1
      isReply = false
      datagram.answeredAt = answer()
      if isReply { wakesControl = true }
      if case nil = datagram.answeredAt { wakesControl = true }
      rings.datagrams.push(datagram)
    }
    remaining = Self.maximumPerPort
    while readable.control, remaining > 0, ports.receive(on: .control, into: &datagram) {
      remaining -= 1
      wakesControl = true
      rings.datagrams.push(datagram)
    }
    remaining = Self.maximumPerPort
    if readable.sequencer, let sequencer {
      while remaining > 0, let arrival = sequencer.receive() {
        remaining -= 1
        wakesControl = true
        rings.arrivals.push(arrival)
      }
    }
    if rings.datagrams.count >= Self.wakeThreshold { wakesControl = true }
    if wakesControl { rings.bell.ring() }
  }

  /// Answers ``datagram`` if it is a CK0 or a clock probe of a peer in session. The answer leaves from the address to which the
  /// request was sent. Sets ``isReply`` if the datagram is the reply to a local probe.
  ///
  /// - Returns: the instant at which the answer left; nil if none was sent.
  @_noLocks @_noAllocation
  private mutating func answer() -> Instant? {
    firstOctets.removeAll()
    var index = 0
    while index < datagram.count, index < ClockProbe.length {
      firstOctets.append(datagram.octets[index])
      index += 1
    }
    if let probe = ClockProbe(firstOctets), let ssrc = known.localSSRC(for: probe.ssrc, at: datagram.from) {
      if case .reply = probe.kind { isReply = true }
      // `sentAt` is only a placeholder: the probe sender overwrites it with the send instant.
      let answer = probe.answer(
        from: ssrc, identity: identity, rateLimit: rateLimit, receivedAt: datagram.at, sentAt: datagram.at)
      guard let answer else { return nil }
      return probes.send(answer, to: datagram.from, from: datagram.to)
    }
    // The count of a CK0 is 0.
    if let packet = ClockPacket(firstOctets), packet.count == 0,
      let ssrc = known.localSSRC(for: packet.ssrc, at: datagram.from)
    {
      reply.removeAll()
      let now = MonotonicClock.now
      guard let answer = packet.reply(from: ssrc, sentAt: now), answer.append(to: &reply) else { return nil }
      return ports.data.send(reply, to: datagram.from, from: datagram.to) ? now : nil
    }
    return nil
  }
}
