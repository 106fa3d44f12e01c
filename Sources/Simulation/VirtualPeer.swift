import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// One running peer of a simulation: the shipped ``PeerCore``, and around it what stands in the place of the engine's
/// threads and sockets. It is as the engine's in what it does and in which order; only that nothing keeps it waiting.
final class VirtualPeer {
  /// How long after a datagram the control thread, which has no right to be in time, wakes for it, and for what else has
  /// come by then.
  private static let latency = Nanoseconds.milliseconds(1)
  /// How long what has been answered already may wait for it.
  private static let longestWait = Nanoseconds.milliseconds(100)

  let host: Int
  /// Which of the host's lives it is.
  let life: Int
  let core: PeerCore
  let clock: VirtualClock
  private let wire: Wire
  private let thread: VirtualClockThread
  private let streams: VirtualStreams
  /// How many clock probes a second it lets each other send, at most.
  private let pace: UInt16
  /// Rules whose working is disturbed on purpose.
  private let disturbance: RuleMutation
  /// What has happened since it was last asked for.
  var news: [Happening] = []
  /// Whom the network thread answers: ssrc and host.
  private var known: Set<UInt64> = []
  /// Packets that the network thread has taken, by their slots; when that was, and whether they have been answered.
  private var arrivals: [(slot: Int, at: Instant, isAnswered: Bool)] = []
  private var packet = RigidArray<UInt8>(capacity: PacketPool.slotLength)
  private var question = RigidArray<UInt8>(capacity: ClockProbe.length)
  /// True instants of the wakings that are on their way.
  private var controlWakes = Instant.distantFuture
  private var clockWakes = Instant.distantFuture
  /// When the core had something to do next when it was last asked: by the own clock, and when the waking for that comes.
  private var due = (own: Instant.distantFuture, waking: Instant.distantFuture)
  /// How often the control thread has woken in a row for something that was due already.
  private(set) var spins = 0

  /// What a simulated peer shows.
  enum Happening {
    case sounds(Message, from: SessionID?)
    case heard(Sounded)
    case tells(Event)
  }

  init(
    host: Int, life: Int, name: String, ensemble: EnsembleState, connections: Connections,
    clock: VirtualClock,
    wire: Wire, score: Score, pace: UInt16, disturbance: RuleMutation, random: SplitMix
  ) {
    self.pace = pace
    (self.host, self.life, self.clock, self.wire, self.disturbance) = (host, life, clock, wire, disturbance)
    core = PeerCore(name: name, ensemble: ensemble, connections: connections, random: random)
    streams = VirtualStreams(wire: wire, host: host, clock: clock)
    thread = VirtualClockThread(
      streams: streams, score: score, lead: ensemble.lead, soundLead: ensemble.soundLead)
  }

  var now: Instant { clock.own(at: wire.now) }
  var identity: Identity { core.identity }

  /// Takes the packet in `slot`, answers it if it has to be, and keeps it for the control thread: the network thread's work.
  func receive(_ slot: Int) {
    let own = now
    let (source, port) = (wire.packets.labels[slot].source, wire.packets.labels[slot].port)
    question.removeAll()
    wire.packets.read(slot) { octets in
      // Only what is no RTP is ever answered here.
      guard octets.count >= 2, octets[0] == 0xFF, octets[1] == 0xFF else { return }
      for index in 0..<min(octets.count, ClockProbe.length) { question.append(octets[index]) }
    }
    var isReply = false
    let isAnswered = port == .data && question.count > 0 && answer(to: source, at: own, &isReply)
    arrivals.append((slot, own, isAnswered))
    wake(in: isAnswered && !isReply ? Self.longestWait : Self.latency)
  }

  private func takeArrivals(at now: Instant) {
    for (slot, instant, isAnswered) in arrivals {
      let label = wire.packets.labels[slot]
      wire.packets.read(slot) { octets in
        core.receive(
          octets, from: label.source, port: label.port, at: instant, answeredAt: isAnswered ? instant : nil, now: now)
      }
    }
    releaseArrivals()
  }

  /// Gives back the slots of what has come.
  func releaseArrivals() {
    for (slot, _, _) in arrivals { wire.release(slot) }
    arrivals.removeAll(keepingCapacity: true)
  }

  /// Answers CK0 and clock probes of peers in session.
  private func answer(to source: SocketAddress, at own: Instant, _ isReply: inout Bool) -> Bool {
    packet.removeAll()
    if let probe = ClockProbe(question), known.contains(Self.key(probe.ssrc, source)) {
      isReply = probe.kind == .reply
      let answer = probe.answer(
        from: core.endpoint.ssrc, identity: identity.bits, rateLimit: min(pace, core.endpoint.probeRateLimit),
        receivedAt: own, sentAt: own)
      guard answer?.append(to: &packet) == true else { return false }
    } else if let asked = ClockPacket(question), asked.count == 0, known.contains(Self.key(asked.ssrc, source)) {
      guard asked.reply(from: core.endpoint.ssrc, sentAt: own)?.append(to: &packet) == true else { return false }
    } else {
      return false
    }
    wire.send(packet, from: SocketAddress(host: host, .data), to: source)
    return true
  }

  private static func key(_ ssrc: UInt32, _ address: SocketAddress) -> UInt64 {
    UInt64(ssrc) << 32 | UInt64(address.host)
  }

  /// The control thread's work: what has come, what is due, and what follows from both.
  func work() {
    controlWakes = .distantFuture
    let (now, due) = (now, due.own)
    takeArrivals(at: now)
    core.advance(to: now)
    keepUp()
    // What is due as it was before has not been done.
    spins = due <= now && self.due.own == due ? spins + 1 : 0
  }

  /// Does what the core wants done.
  func keepUp() {
    let now = now
    for output in core.drain(at: now) { execute(output) }
    due.own = core.nextDeadline
    let instant = max(clock.truth(at: due.own), wire.now + Self.latency)
    guard instant < controlWakes else { return }
    controlWakes = instant
    // As a rule a packet changes nothing in what is due: then the waking for that is on its way.
    guard instant != due.waking else { return }
    due.waking = instant
    wire.events.push(.control, host: host, value: life, at: instant)
  }

  /// Has the control thread wake so soon.
  func wake(in length: Nanoseconds) {
    let instant = wire.now + length
    guard instant < controlWakes else { return }
    controlWakes = instant
    wire.events.push(.control, host: host, value: life, at: instant)
  }

  /// The clock thread's work.
  func round() {
    clockWakes = .distantFuture
    let own = now
    let next = thread.round(at: own)
    while let step = thread.heard(by: own) { news.append(.heard(step)) }
    let wake = max(clock.truth(at: next), wire.now + Nanoseconds(1))
    guard next != .distantFuture, wake < clockWakes else { return }
    clockWakes = wake
    wire.events.push(.clock, host: host, value: life, at: wake)
  }

  /// Whether the control thread is meant by a waking that was asked for at some time; one that comes too late is not.
  var isControlDue: Bool { controlWakes <= wire.now }
  var isClockDue: Bool { clockWakes <= wire.now }

  /// Lets go of its notes, ends what it gives the clock to, and says goodbye to everybody.
  func leave() {
    core.releaseNotes()
    keepUp()
    thread.stopStreams(at: now)
    core.leave(at: now)
    keepUp()
  }

  private func execute(_ output: PeerCore.Output) {
    switch output {
    case .send(let octets, let address, let port):
      packet.removeAll()
      for octet in octets { packet.append(octet) }
      wire.send(packet, from: SocketAddress(host: host, port), to: address)
    case .probe(let session, let address):
      core.endpoint.sendProbe(on: session) { probe in
        var probe = probe
        (probe.transmit, probe.rateLimit) = (now, min(pace, core.endpoint.probeRateLimit))
        packet.removeAll()
        guard probe.append(to: &packet) else { return nil }
        wire.send(packet, from: SocketAddress(host: host, .data), to: address)
        return probe.transmit
      }
    case .clockPacket(let session, let address):
      packet.removeAll()
      if core.endpoint.clockPacket(on: session, sentAt: now)?.append(to: &packet) == true {
        wire.send(packet, from: SocketAddress(host: host, .data), to: address)
      }
    case .stream(let command): pass(command)
    case .play(let schedule):
      thread.adopt(schedule, at: now)
      round()
    case .sound(let message, let session): news.append(.sounds(message, from: session))
    case .rosterChanged:
      known = Set(core.roster.sessions.map { Self.key($0.info.ssrc, $0.info.data) })
    case .event(let event): news.append(.tells(event))
    }
  }

  private func pass(_ command: StreamCommand) {
    switch command {
    case .open(let session, let address, let ssrc, let sequence, let takesClock):
      streams.open(session, to: address, ssrc: ssrc, sequence: sequence, takesClock: takesClock)
    case .recognise(let session): streams.recognise(session)
    case .stamp(let session, let isStamped):
      streams.stamp(session, isStamped)
      if isStamped { thread.stamp(at: now) }
    case .journal(let session, let isSent): streams.journal(session, isSent)
    case .acknowledge(let session, let sequence): streams.acknowledge(session, sequence)
    case .close(let session): streams.close(session)
    case .exclusive(let octets, let session, let isJournalled):
      streams.send(exclusive: disturbance.alter(octets), to: session, isJournalled: isJournalled) {
        disturbance.admits(from: host, to: $0.host)
      }
    case .message(let message, let instant, let receiver):
      guard disturbance.admits(message) else { break }
      streams.send(message, at: instant, to: receiver)
    }
    // What it says may want a guard packet after it.
    let due = clock.truth(at: streams.guardsDue)
    if due < clockWakes {
      clockWakes = max(due, wire.now + Nanoseconds(1))
      wire.events.push(.clock, host: host, value: life, at: clockWakes)
    }
  }
}
