import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending

/// A running peer of a simulation: the shipped ``PeerCore`` and ``StreamSender``, and replacements of the engine's threads and
/// sockets. The replacements do the same work in the same order, but nothing delays them.
final class VirtualPeer {
  /// The time from the arrival of a datagram until the control thread, which is not a real-time thread, processes it and all
  /// other datagrams that have arrived.
  private static let latency = Nanoseconds.milliseconds(1)
  /// The maximum time for which a datagram that the network thread has already answered waits for the control thread. To the
  /// control thread, such a datagram only shows that the sender is alive.
  private static let longestWait = Nanoseconds.milliseconds(100)

  /// The number of the host on which the peer runs.
  let host: Int
  /// The number of peers that were started at this host, including this one.
  let life: Int
  let core: PeerCore
  private(set) var clock: VirtualClock
  private let wire: VirtualWire
  private let thread: VirtualClockThread
  /// The probe rate limit: the maximum number of clock probes per second from each other peer.
  private let probeRateLimit: UInt16
  /// The rule that is disabled, if any.
  private let mutation: RuleMutation
  /// The events since the checker has collected them.
  var events: [Event] = []
  /// The sources that the network thread answers: see ``key(_:_:)``.
  private var knownSources: [UInt64: UInt32] = [:]
  /// The packets that the network thread has received, by slot: the arrival in local time, and whether it has answered them.
  private var arrivals: [(slot: Int, at: Instant, isAnswered: Bool)] = []
  /// The packet that is sent next; preallocated.
  private var packet = RigidArray<UInt8>(capacity: PacketPool.slotLength)
  /// The first octets of a received AppleMIDI packet, which may have to be answered; preallocated.
  private var request = RigidArray<UInt8>(capacity: ClockProbe.length)
  /// The true time at which the control thread wakes next.
  private var controlWaking = Instant.distantFuture
  /// The true time at which the clock thread wakes next.
  private var clockWaking = Instant.distantFuture
  /// The last known deadline of the core, in local time, and the true time of the waking for this deadline.
  private var due = (local: Instant.distantFuture, waking: Instant.distantFuture)
  /// How often in succession the control thread has woken for a deadline that stayed the same.
  private(set) var spins = 0

  /// An observable event.
  enum Event {
    /// A message of a remote peer, or of the local player (nil), sounds.
    case sound(Message, from: SessionID?)
    /// A step sounds.
    case step(PlayedStep)
    /// The core informs the user.
    case core(Ensemble.Event)
  }

  init(
    host: Int, life: Int, name: String, ensemble: EnsembleState, invitations: InvitationList,
    clock: VirtualClock,
    wire: VirtualWire, pattern: Pattern, probeRateLimit: UInt16, mutation: RuleMutation, random: SplitMix
  ) {
    self.probeRateLimit = probeRateLimit
    (self.host, self.life, self.clock, self.wire, self.mutation) = (host, life, clock, wire, mutation)
    core = PeerCore(name: name, ensemble: ensemble, invitations: invitations, random: random)
    // The tick lead is the same as in the engine: ticks are sent ahead of time, but so late that no change can still affect them.
    thread = VirtualClockThread(
      host: host, wire: wire, pattern: pattern, tickLead: ensemble.lead - .milliseconds(10),
      soundLead: ensemble.soundLead)
  }

  var now: Instant { clock.local(at: wire.now) }
  var identity: Identity { core.identity }

  /// Receives the packet in `slot`, answers it if it is a clock probe or CK0, and keeps it for the control thread. The work of
  /// the network thread.
  func receive(_ slot: Int) {
    let now = now
    let label = wire.packets.labels[slot]
    request.removeAll()
    wire.packets.read(slot) { octets in
      // Only AppleMIDI packets are answered here, never RTP packets.
      guard octets.count >= 2, octets[0] == 0xFF, octets[1] == 0xFF else { return }
      request.append(copying: octets.extracting(first: ClockProbe.length))
    }
    var isReply = false
    let isAnswered = label.port == .data && request.count > 0 && answer(to: label.source, at: now, &isReply)
    arrivals.append((slot, now, isAnswered))
    // A reply to a local probe does not wait, because the control thread estimates the clock of the sender from it.
    wake(in: isAnswered && !isReply ? Self.longestWait : Self.latency)
  }

  /// Passes the received packets to the core.
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

  /// Frees the slots of the received packets.
  func releaseArrivals() {
    for (slot, _, _) in arrivals { wire.release(slot) }
    arrivals.removeAll(keepingCapacity: true)
  }

  /// Answers CK0 and clock probes of peers in session, as the network thread does. `isReply` is set if the packet is the reply
  /// to a clock probe of the local peer, which the answer acknowledges.
  ///
  /// - Returns: whether an answer was sent.
  private func answer(to source: SocketAddress, at now: Instant, _ isReply: inout Bool) -> Bool {
    packet.removeAll()
    if let probe = ClockProbe(request), let localSSRC = knownSources[Self.key(probe.ssrc, source)] {
      isReply = probe.kind == .reply
      let answer = probe.answer(
        from: localSSRC, identity: identity.bits, rateLimit: min(probeRateLimit, core.endpoint.probeRateLimit),
        receivedAt: now, sentAt: now)
      guard answer?.append(to: &packet) == true else { return false }
    } else if let asked = ClockPacket(request), asked.count == 0,
      let localSSRC = knownSources[Self.key(asked.ssrc, source)]
    {
      guard asked.reply(from: localSSRC, sentAt: now)?.append(to: &packet) == true else { return false }
    } else {
      return false
    }
    wire.send(packet, from: SocketAddress(host: host, .data), to: source)
    return true
  }

  /// A source: the SSRC in the upper 32 bits, the host in the lower ones.
  private static func key(_ ssrc: UInt32, _ address: SocketAddress) -> UInt64 {
    UInt64(ssrc) << 32 | UInt64(address.host)
  }

  /// Processes the received packets and everything that is due. The work of the control thread.
  func runControlThread() {
    controlWaking = .distantFuture
    let (now, due) = (now, due.local)
    takeArrivals(at: now)
    core.advance(to: now)
    performOutputs()
    // A deadline that has passed and stays the same was not handled.
    spins = due <= now && self.due.local == due ? spins + 1 : 0
  }

  /// Performs the outputs of the core and schedules the next waking of the control thread.
  func performOutputs() {
    let now = now
    for output in core.takeOutputs(at: now) { execute(output) }
    due.local = core.nextDeadline
    let instant = max(clock.truth(at: due.local), wire.now + Self.latency)
    guard instant < controlWaking else { return }
    controlWaking = instant
    // Most packets do not change the deadline. The waking for it is then scheduled already.
    guard instant != due.waking else { return }
    due.waking = instant
    wire.events.push(.control, host: host, value: life, at: instant)
  }

  /// Schedules a waking of the control thread after `delay`.
  func wake(in delay: Nanoseconds) {
    let instant = wire.now + delay
    guard instant < controlWaking else { return }
    controlWaking = instant
    wire.events.push(.control, host: host, value: life, at: instant)
  }

  /// Does everything that is due on the clock thread, and schedules its next waking.
  func runClockThread() {
    clockWaking = .distantFuture
    let now = now
    thread.run(at: now)
    while let step = thread.nextStep(at: now) { events.append(.step(step)) }
    wakeClockThread()
  }

  /// Schedules the next waking of the clock thread.
  private func wakeClockThread() {
    let next = thread.nextDeadline
    guard next != .distantFuture else { return }
    let wake = max(clock.truth(at: next), wire.now + Nanoseconds(1))
    guard wake < clockWaking else { return }
    clockWaking = wake
    wire.events.push(.clock, host: host, value: life, at: wake)
  }

  /// The machine was suspended for `duration` of true time. All wakings during this time were lost. The control thread
  /// detects the suspension.
  func resume(after duration: Nanoseconds) {
    clock.suspended(for: duration)
    (controlWaking, clockWaking, due.waking) = (.distantFuture, .distantFuture, .distantFuture)
    core.resume(at: now)
    wake(in: .zero)
    wakeClockThread()
  }

  /// Whether the control thread is to wake now. Otherwise a waking event is obsolete: the thread has already run for it.
  var isControlDue: Bool { controlWaking <= wire.now }
  /// Whether the clock thread is to wake now.
  var isClockDue: Bool { clockWaking <= wire.now }

  /// Ends the notes of the player, stops the receivers of the clock, and ends all sessions.
  func leave() {
    core.releaseNotes()
    performOutputs()
    thread.stopStreams(at: now)
    core.leave(at: now)
    performOutputs()
  }

  /// Performs one output of the core.
  private func execute(_ output: PeerCore.Output) {
    switch output {
    case .send(let octets, let address, _, let port):
      packet.removeAll()
      packet.append(copying: octets)
      wire.send(packet, from: SocketAddress(host: host, port), to: address)
    case .probe(let session, let address, _):
      core.endpoint.sendProbe(on: session) { probe in
        var probe = probe
        (probe.transmit, probe.rateLimit) = (now, min(probeRateLimit, core.endpoint.probeRateLimit))
        packet.removeAll()
        guard probe.append(to: &packet) else { return nil }
        wire.send(packet, from: SocketAddress(host: host, .data), to: address)
        return probe.transmit
      }
    case .clockPacket(let session, let address, _):
      packet.removeAll()
      if core.endpoint.clockPacket(on: session, sentAt: now)?.append(to: &packet) == true {
        wire.send(packet, from: SocketAddress(host: host, .data), to: address)
      }
    case .stream(let command): execute(command)
    case .play(let schedule):
      thread.adopt(schedule, at: now)
      runClockThread()
    case .sound(let message, let session): events.append(.sound(message, from: session))
    case .rosterChanged:
      knownSources = Dictionary(
        core.roster.sessions.map { (Self.key($0.info.ssrc, $0.info.data), $0.info.localSSRC) }, uniquingKeysWith: { $1 }
      )
    case .event(let event): events.append(.core(event))
    }
  }

  /// Passes a command to the clock thread, as altered by the rule mutation.
  private func execute(_ command: StreamCommand) {
    for command in mutation.mutate(command, from: self) { thread.execute(command, at: now) }
    wakeClockThread()
  }
}
