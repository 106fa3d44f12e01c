import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Receiving
import Scores
import Sending

/// A running peer of a simulation. It consists of the shipped ``PeerCore``, ``StreamSender`` and ``Receiver``, and of replacements
/// of the engine's threads and sockets. The replacements do the same work in the same order, but nothing delays them.
final class VirtualPeer {
  /// The time from the arrival of a datagram until the control thread processes it, together with all others that have arrived.
  /// The control thread is not a real-time thread.
  private static let latency = Nanoseconds.milliseconds(1)
  /// The longest time for which a datagram waits for the control thread if the network thread has already answered it. Such a
  /// datagram only shows the control thread that the sender is alive.
  private static let longestWait = Nanoseconds.milliseconds(100)

  /// The number of the host on which the peer runs.
  let host: Int
  /// The number of peers that were started at this host, including this one.
  let life: Int
  let core: PeerCore
  private(set) var clock: VirtualClock
  private let wire: VirtualWire
  private let thread: VirtualClockThread
  /// The probe rate limit: the maximum number of clock probe requests per second that the peer accepts from every other peer.
  private let probeRateLimit: UInt16
  /// The rule that is disabled, if any.
  private let mutation: RuleMutation
  /// The events that the checker has not collected yet.
  var events: [Event] = []
  /// The receiving half of all sessions.
  private var receiver: Receiver
  /// The datagrams and messages that the network thread has received and the control thread has not processed, in order.
  private var arrivals: [Arrival] = []
  /// The packet that is sent next; preallocated.
  private var packet = RigidArray<UInt8>(capacity: PacketPool.slotLength)
  /// The true time at which the control thread wakes next.
  private var controlWaking = Instant.distantFuture
  /// The true time at which the clock thread wakes next.
  private var clockWaking = Instant.distantFuture
  /// The true time at which the network thread wakes next, because messages of remote peers take effect.
  private var networkWaking = Instant.distantFuture
  /// The last known deadline of the core, in local time, and the true time of the waking for this deadline.
  private var due = (local: Instant.distantFuture, waking: Instant.distantFuture)
  /// The number of consecutive wakings of the control thread for a deadline that has passed and stayed the same.
  private(set) var spins = 0

  /// A datagram or message that the network thread passes to the control thread.
  private enum Arrival {
    /// A datagram: the first `count` octets of the packet in a slot, its arrival in local time, and whether the network thread has
    /// answered it and has found it authentic.
    case datagram(slot: Int, count: Int, at: Instant, isAnswered: Bool, isAuthentic: Bool)
    /// The result of the receiver, and the data of a System Exclusive.
    case reception(Reception, systemExclusive: [UInt8])
  }

  /// An observable event.
  enum Event {
    /// A message of a remote peer, or of the local player (no session), sounds and is recorded.
    case sound(Message, from: SessionID?)
    /// A message of a remote peer sounds and is not recorded.
    case heard(Message, from: SessionID)
    /// A message of a remote peer is recorded and does not sound.
    case recorded(Message, from: SessionID)
    /// A step sounds.
    case step(PlayedStep)
    /// The core reports an event for the user.
    case core(Ensemble.Event)
  }

  init(
    host: Int, life: Int, name: String, key: GroupKey?, ensemble: EnsembleState, invitations: InvitationList,
    clock: VirtualClock,
    wire: VirtualWire, pattern: Pattern, probeRateLimit: UInt16, mutation: RuleMutation, random: SplitMix
  ) {
    self.probeRateLimit = probeRateLimit
    (self.host, self.life, self.clock, self.wire, self.mutation) = (host, life, clock, wire, mutation)
    let core = PeerCore(name: name, key: key, ensemble: ensemble, invitations: invitations, random: random)
    self.core = core
    receiver = Receiver(identity: ensemble.identity.bits, hasPasskey: key != nil, sessions: 0)
    // The tick lead is the same as in the engine: ticks are sent ahead of time, but so late that no change can still affect them.
    thread = VirtualClockThread(
      host: host, wire: wire, pattern: pattern, tickLead: ensemble.lead - .milliseconds(10),
      soundLead: ensemble.soundLead, score: { core.ensemble.score($0) })
    receiver.soundLead = ensemble.soundLead
  }

  var now: Instant { clock.local(at: wire.now) }
  var identity: Identity { core.identity }

  /// Receives the packet in `slot`: decodes an RTP packet, and answers a clock probe or a CK0. The work of the network thread.
  func receive(_ slot: Int) {
    let now = now
    var reply: ClockReply?
    var (isKept, isAuthentic, count) = (true, false, 0)
    var (source, ssrc) = (SocketAddress(host: 0, .control), UInt32(0))
    wire.packets.read(slot) { octets, label in
      source = label.source
      let header = DatagramHeader(octets)
      (ssrc, count) = (header.ssrc, octets.count)
      switch receiver.authenticate(octets, header, from: label.source, port: label.port) {
      // `beginning`: a datagram that can begin a new session, such as an invitation, needs no tag.
      case .unprotected, .beginning: break
      case .authentic(let contentCount): (isAuthentic, count) = (true, contentCount)
      case .refused:
        isKept = false
        return
      }
      let octets = octets.extracting(first: count)
      guard label.port == .data else { return }
      if ControlPacket.isControl(octets) {
        reply = receiver.reply(to: octets, from: label.source, at: now, sentAt: now)
      } else {
        isKept = false
        decode(octets, from: label.source, at: now)
      }
    }
    // The reply is sent only now, because a change of the pool while the packet is being read would copy all packets.
    let isAnswered = reply.map { send($0, to: source, of: ssrc) } ?? false
    if isKept {
      arrivals.append(
        .datagram(slot: slot, count: count, at: now, isAnswered: isAnswered, isAuthentic: isAuthentic))
    } else {
      wire.release(slot)
    }
    // An answered datagram can wait for `longestWait`, unless it is the reply to a probe of the local peer. The control thread estimates
    // the clock of the sender from such a reply.
    wake(in: isAnswered && reply?.acknowledgesReply != true ? Self.longestWait : Self.latency)
  }

  /// Decodes an RTP packet.
  private func decode(_ packet: Span<UInt8>, from source: SocketAddress, at arrival: Instant) {
    arrivals.append(.reception(receiver.receive(packet, from: source, at: arrival), systemExclusive: []))
    while let output = receiver.next(in: packet) { execute(output) }
    wakeNetworkThread()
  }

  /// Plays the messages of remote peers that take effect now. The work of the network thread.
  func playTimedMessages() {
    networkWaking = .distantFuture
    while let output = receiver.nextTimed(at: now) { execute(output) }
    wakeNetworkThread()
  }

  /// Schedules the next waking of the network thread.
  private func wakeNetworkThread() {
    let next = receiver.nextTimedDeadline
    guard next != .distantFuture else { return }
    let wake = max(clock.truth(at: next), wire.now + Nanoseconds(1))
    guard wake < networkWaking else { return }
    networkWaking = wake
    wire.events.push(.network, host: host, value: life, at: wake)
  }

  /// Executes an output of the receiver.
  private func execute(_ output: Receiver.Output) {
    switch output {
    case .sound(let message, let session): events.append(.sound(message, from: session))
    case .hear(let message, let session): events.append(.heard(message, from: session))
    case .record(let message, let session): events.append(.recorded(message, from: session))
    // The peer has no instrument.
    case .pitch, .localPitch: break
    // A controller of a remote peer is played like one of the local player.
    case .shape(let message, _):
      receiver.execute(.play(message))
      while let output = receiver.next() { execute(output) }
    case .send(let message): execute(.message(message))
    case .reception(let reception):
      let isExclusive = if case .systemExclusive = reception { true } else { false }
      arrivals.append(.reception(reception, systemExclusive: isExclusive ? receiver.systemExclusiveOctets : []))
      wake(in: Self.latency)
    }
  }

  /// Executes a command for the receiver, and receives the packets that arrived before their session began.
  private func execute(_ command: ReceivingCommand) {
    if case .open(let slot, _, _, _, _) = command, slot >= receiver.capacity { receiver.addSession() }
    receiver.execute(command)
    while let output = receiver.next() { execute(output) }
    while let packet = receiver.takeEarlyPacket(at: now) {
      let octets = packet.octets.span.extracting(first: packet.count)
      decode(octets, from: packet.source, at: packet.arrival)
      wake(in: Self.latency)
    }
  }

  /// Passes all ``arrivals`` to the core.
  private func takeArrivals(at now: Instant) {
    for arrival in arrivals {
      switch arrival {
      case .reception(let reception, let systemExclusive):
        core.receive(reception, systemExclusive: { systemExclusive }, now: now)
      case .datagram(let slot, let count, let instant, let isAnswered, let isAuthentic):
        wire.packets.read(slot) { octets, label in
          core.receive(
            octets.extracting(first: count), from: label.source, port: label.port, at: instant,
            answeredAt: isAnswered ? instant : nil, isAuthentic: isAuthentic, now: now)
        }
      }
    }
    releaseArrivals()
  }

  /// Frees the slots of the received packets.
  func releaseArrivals() {
    for case .datagram(let slot, _, _, _, _) in arrivals { wire.release(slot) }
    arrivals.removeAll(keepingCapacity: true)
  }

  /// Sends the answer to a clock probe or to a CK0.
  ///
  /// - Parameters:
  ///   - source: the sender of the probe or the CK0.
  ///   - ssrc: the SSRC of this sender.
  /// - Returns: false if the answer does not fit into a packet.
  private func send(_ reply: ClockReply, to source: SocketAddress, of ssrc: UInt32) -> Bool {
    withPacket { packet in
      switch reply {
      case .probe(var probe):
        probe.rateLimit = min(probeRateLimit, probe.rateLimit)
        guard probe.append(to: &packet) else { return false }
      case .clockPacket(let reply): guard reply.append(to: &packet) else { return false }
      }
      receiver[sealerFor: ssrc, onHostOf: source]?.seal(&packet, port: .data, at: now)
      wire.send(packet, from: SocketAddress(host: host, .data), to: source)
      return true
    }
  }

  /// Calls `body` with the memory of ``packet``, which is empty. The property is only exchanged, so the compiler can prove that no two accesses
  /// to it overlap, and its accesses are not checked at run time.
  private func withPacket<Result>(_ body: (inout RigidArray<UInt8>) -> Result) -> Result {
    var packet = RigidArray<UInt8>(capacity: 0)
    swap(&packet, &self.packet)
    packet.removeAll()
    let result = body(&packet)
    swap(&packet, &self.packet)
    return result
  }

  /// Processes the received packets and everything that is due. The work of the control thread.
  func runControlThread() {
    controlWaking = .distantFuture
    let (now, due) = (now, due.local)
    takeArrivals(at: now)
    core.advance(to: now)
    performOutputs()
    // If a deadline has passed and stays the same, the core has not handled it.
    spins = due <= now && self.due.local == due ? spins + 1 : 0
  }

  /// Performs the outputs of the core and schedules the next waking of the control thread.
  func performOutputs() {
    let now = now
    for output in core.takeOutputs(at: now) { execute(output) }
    followRhythm(at: now)
    due.local = core.nextDeadline
    let instant = max(clock.truth(at: due.local), wire.now + Self.latency)
    guard instant < controlWaking else { return }
    controlWaking = instant
    // Most packets do not change the deadline. The waking for this deadline is then already scheduled.
    guard instant != due.waking else { return }
    due.waking = instant
    wire.events.push(.control, host: host, value: life, at: instant)
  }

  /// Plays a rhythm of the world: the choice of the player. Nil: a rhythm that is not shared.
  func choose(_ document: Document?, at now: Instant) {
    let choice = document.map { Pattern.choice(of: $0) } ?? RhythmChoice()
    thread.rhythms.insert(choice.digest)
    core.ensemble.play(choice, document: document, at: now)
  }

  /// As the engine does, plays the rhythm of the schedule as its own rhythm if it has arrived.
  private func followRhythm(at now: Instant) {
    guard core.ensemble.role.master != nil, let digest = core.ensemble.schedule.rhythm.next.digest,
      digest != core.ensemble.rhythm.digest, thread.rhythms.contains(digest),
      let document = core.ensemble.document(digest)
    else { return }
    choose(document, at: now)
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

  /// Handles the end of a suspension of the machine, which lasted for `duration` of true time. All wakings during this time were
  /// lost.
  func resume(after duration: Nanoseconds) {
    clock.suspended(for: duration)
    (controlWaking, clockWaking, networkWaking) = (.distantFuture, .distantFuture, .distantFuture)
    due.waking = .distantFuture
    core.resume(at: now)
    wake(in: .zero)
    wakeClockThread()
    wakeNetworkThread()
  }

  /// Whether the control thread is to wake now. If false, a waking event is obsolete, because the thread has already run for this event.
  var isControlDue: Bool { controlWaking <= wire.now }
  /// Whether the clock thread is to wake now.
  var isClockDue: Bool { clockWaking <= wire.now }
  /// Whether the network thread is to wake now.
  var isNetworkDue: Bool { networkWaking <= wire.now }

  /// Ends the notes of the player, sends Stop to the receivers of the clock, and ends all sessions.
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
      withPacket { packet in
        // As in the engine, the reply to a probe gets its send instant at the last moment.
        if var probe = ClockProbe(octets.span) {
          probe.transmit = now
          _ = probe.append(to: &packet)
        } else {
          packet.append(copying: octets)
        }
        wire.send(packet, from: SocketAddress(host: host, port), to: address)
      }
    case .probe(let session, let address, _):
      core.endpoint.sendProbe(on: session) { probe, sealer in
        var probe = probe
        (probe.transmit, probe.rateLimit) = (now, min(probeRateLimit, core.endpoint.probeRateLimit))
        return withPacket { packet in
          guard probe.append(to: &packet) else { return nil }
          sealer?.seal(&packet, port: .data, at: now)
          wire.send(packet, from: SocketAddress(host: host, .data), to: address)
          return probe.transmit
        }
      }
    case .clockPacket(let session, let address, _):
      withPacket { packet in
        guard core.endpoint.clockPacket(on: session, sentAt: now)?.append(to: &packet) == true else { return }
        core.endpoint.seal(&packet, of: session, port: .data, at: now)
        wire.send(packet, from: SocketAddress(host: host, .data), to: address)
      }
    case .stream(let command): execute(command)
    case .document(let part):
      thread.send(part, at: now)
      wakeClockThread()
    case .play(let schedule):
      receiver.follow(schedule)
      thread.adopt(schedule, at: now)
      runClockThread()
    case .receiving(let command): execute(command)
    // A virtual peer has no user to inform of messages, and records no arrivals of ticks.
    case .sounded, .exclusive, .arrived: break
    case .event(.documentReceived(let document, _)) where document.kind == .score:
      if let score = try? Score(octets: document.octets) {
        core.ensemble.accept(document.digest, score, at: now)
      } else {
        core.ensemble.refuse(score: document.digest)
      }
    case .event(.documentReceived(let document, _)):
      thread.rhythms.insert(document.digest)
      core.ensemble.accept(document.digest, at: now)
    case .event(let event): events.append(.core(event))
    }
  }

  /// Passes a command to the clock thread, as altered by the rule mutation.
  private func execute(_ command: StreamCommand) {
    if mutation.rule == nil {
      thread.execute(command, at: now)
    } else {
      for command in mutation.mutate(command, from: self) { thread.execute(command, at: now) }
    }
    wakeClockThread()
  }
}
