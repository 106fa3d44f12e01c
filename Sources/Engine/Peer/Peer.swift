import Audio
import ClockSync
import Ensemble
public import Logging
import Measurement
import MusicalTime
public import PeerProtocol
import RTPMIDI
import Realtime
import Rhythm
import Transports

/// One running Tutti: threads, transports, ensemble and sound put together. It belongs to the thread that made it, the
/// control thread, on which ``run(status:)`` plays until the end.
///
///     network thread ── arrivals ──▶ control thread ── schedules, commands ──▶ clock thread ── hits ──▶ audio threads
///           └─ answers clock questions     └─ sessions, ensemble, trace            └─ ticks to sessions and ports
public final class Peer {
  let configuration: PeerConfiguration
  let log: Logger
  let store: IdentityStore
  let ports: PortPair
  let core: PeerCore
  var probes: ProbeSender
  let clock: ClockThread
  let networkRings: NetworkRings
  let network: NetworkThread
  let sound: SoundOutputs
  /// Its ALSA ports, nil where it has none.
  var midi: MIDIPorts?
  let trace: TraceWriter?
  /// Nil while nobody is looked for.
  var discovery: Discovery?
  var clockWarnings = ClockWarnings()
  /// Which of several clocks from outside is kept.
  var arbiter = ClockArbiter()
  /// The newest the clock thread has counted.
  var clockCounters = ClockCounters()
  var traceFailure: TraceError?
  /// At which this player starts the rhythm.
  var tempo: Tempo
  /// What was believed of the master's clock last.
  var belief: ClockEstimate?
  /// The newest role but idle, for the summary.
  var played = Role.idle
  /// When the rhythm is to be started without anybody's asking.
  var startsAt: Instant?
  var leavesAt: Instant?
  /// What is said of who comes and goes.
  var meetingBudget = MessageBudget(rate: 1, depth: 128)
  /// Who is told of others that come and go.
  private(set) var watch: ((PeerEvent) -> Void)?
  /// What those who watch have been told last, and when to look again.
  var toldCompany: [CompanyEntry] = []
  var toldTotal: UInt8?
  var nextLook = Instant(nanoseconds: .min)
  /// What has been kept of the session, and when to look again.
  var keptSession: SessionState?
  var nextKeeping = Instant(nanoseconds: .min)
  var hasToldOfKeeping = false
  /// To whom the player's notes are to go, once that peer is there.
  var awaitedAddressee: String?
  /// Another command to leave while leaving means at once.
  var isLeaving = false

  /// Where commands from other threads go.
  public let mailbox: Mailbox
  public var identity: Identity { store.identity }
  /// The control port in use.
  public var port: UInt16 { ports.control.port }

  /// Roles, activity, gates.
  var ensemble: Ensemble {
    _read { yield core.ensemble }
    _modify { yield &core.ensemble }
  }

  /// Opens the sound card, the ports, recording and trace, loads the kit, and starts the threads. Nothing is left behind
  /// when it fails.
  ///
  /// - Parameter store: the identity's, if that has been taken already.
  /// - Throws: ``PCMError``, ``TransportError``, ``AudioFileError``, ``TraceError`` or ``EngineError``.
  public init(
    _ configuration: PeerConfiguration, store: IdentityStore? = nil, mailbox: Mailbox = Mailbox(), log: Logger
  ) throws {
    self.configuration = configuration
    self.mailbox = mailbox
    self.log = log
    tempo = configuration.tempo
    if let path = configuration.trace { try TraceWriter.check(path: path) }
    var addresses = try configuration.connect.map { try SocketAddress(resolving: $0) }
    for place in configuration.restored?.peers ?? [] {
      if let address = try? SocketAddress(resolving: place), !addresses.contains(address) { addresses.append(address) }
    }
    var clockPeers: [ClockPeer] = []
    for case .peer(let name) in configuration.clockFrom {
      let address = try SocketAddress(resolving: name)
      clockPeers.append(ClockPeer(address: address, name: name))
      if !addresses.contains(address) { addresses.append(address) }
    }
    self.store = try store ?? IdentityStore(name: configuration.name)
    sound = try SoundOutputs(configuration)
    ports = try PortPair(port: configuration.port)
    probes = ProbeSender(socket: ports.data)
    let now = MonotonicClock.now
    let clockRings = ClockRings()
    do {
      midi = try MIDIPorts(configuration)
      try sound.start(name: configuration.name, rings: clockRings)
    } catch {
      midi?.sequencer.close()
      ports.close()
      throw error
    }
    let memory = MemoryLock.lockAll()

    // The sound may need hits sooner than a change would be told by the lead asked for.
    let lead = max(configuration.lead, sound.lead + .milliseconds(20))
    let ensemble = Ensemble(
      identity: self.store.identity, highestTerm: self.store.term, lead: lead, soundLead: sound.lead,
      activity: configuration.activity)
    let peerOptions = configuration.peerOptions
    core = PeerCore(
      name: configuration.name, ensemble: ensemble,
      connections: Connections(to: addresses.map(Connections.Place.init), own: self.store.identity, at: now),
      options: { peerOptions.options(for: $0, at: $1) }, random: SystemRandomNumberGenerator())
    core.clockPeers = clockPeers
    core.ensemble.gates = configuration.gates
    core.ensemble.masterLoss = configuration.masterLoss
    core.ensemble.activityRule = configuration.activityRule

    clockRings.table.publish(StepTable(configuration.patch))
    // Ticks leave ahead of time, but never so early that a change could still come before them.
    var settings = ClockSettings(
      socket: ports.data, tickLead: lead - .milliseconds(10), soundLead: sound.lead)
    settings.records = sound.areTwo
    settings.sequencer = midi?.sequencer
    clock = ClockThread(rings: clockRings, settings: settings)
    networkRings = NetworkRings(bell: mailbox.bell)
    network = NetworkThread(
      ports: ports, sequencer: midi?.sequencer, ssrc: core.endpoint.ssrc, identity: self.store.identity.bits,
      rings: networkRings)

    if configuration.start {
      startsAt = now + (addresses.isEmpty ? .milliseconds(100) : .seconds(5))
    } else if let duration = configuration.duration {
      leavesAt = now + duration
    }
    let header = TraceHeader(
      configuration, identity: self.store.identity, schedulingPolicy: clock.schedulingPolicy,
      memoryLocked: memory == nil,
      firstFrame: sound.firstFrame, firstInstant: sound.firstInstant)
    do {
      trace = try configuration.trace.map { try TraceWriter(path: $0, header: header) }
    } catch {
      clock.stop()
      network.stop()
      sound.stop(after: MonotonicClock.now)
      sound.abandon()
      midi?.sequencer.close()
      ports.close()
      throw error
    }
    if let summary = sound.summary { log.info("\(summary)") }
    if lead > configuration.lead {
      let (told, asked) = (Int(lead.milliseconds.rounded(.up)), Int(configuration.lead.milliseconds))
      log.notice("changes are told \(told) ms ahead, not \(asked): the sound card takes that long")
    }
    if case .contacts(let contacts) = configuration.policy {
      for host in contacts.missing { log.warning("contacts: \(host)") }
    }
    let policy = configuration.policy
    core.endpoint.admits = { policy.admits($0, from: $1) }
    for advice in [clock.schedulingPolicy.advice, memory].compactMap({ $0 }) { log.warning("\(advice)") }
  }

  /// Plays until told to leave, or until its duration is over; then takes everything down and keeps what was recorded.
  ///
  /// - Parameters:
  ///   - status: called about ten times a second; nil when nobody looks.
  ///   - watch: called with each event as it comes about.
  /// - Throws: ``AudioFileError`` or ``TraceError`` when recording or trace are not complete.
  public func run(status: ((PeerStatus) -> Void)? = nil, watch: ((PeerEvent) -> Void)? = nil) throws {
    self.watch = watch
    discovery = discoverOthers()
    keptSession = configuration.restored
    awaitedAddressee = configuration.addressee
    if let leader = configuration.leader { lead(by: leader) }
    resume(at: MonotonicClock.now)
    var nextStatus = MonotonicClock.now
    while true {
      if let leavesAt, MonotonicClock.now >= leavesAt {
        guard ensemble.role == .master, !isLeaving else { break }
        obey(.leave)  // The own rhythm ends before its master goes.
      }
      let rung = mailbox.bell.count
      for command in mailbox.takeAll() { obey(command) }
      receiveDatagrams()
      let now = MonotonicClock.now
      receiveMIDI(at: now)
      meetOthers(at: now)
      core.advance(to: now)
      startIfDue(at: now)
      keepUp(at: now)
      watchCompany(at: now)
      recordTicks(at: now)
      if let news = sound.news(at: now) { log.warning("\(news)") }
      if let status, now >= nextStatus {
        nextStatus = now + .milliseconds(100)
        status(self.status)
      }
      mailbox.bell.wait(until: wakeTime(nextStatus: status == nil ? .distantFuture : nextStatus), since: rung)
    }
    try leave()
  }

  private func wakeTime(nextStatus: Instant) -> Instant {
    if networkRings.datagrams.count > 0 || networkRings.arrivals.count > 0 { return MonotonicClock.now }
    // The clock thread does not ring for each tick it records: the trace looks in ten times a second.
    var wake = min(nextStatus, MonotonicClock.now + .milliseconds(100))
    wake = min(wake, core.nextDeadline)
    if let midi { wake = min(wake, midi.nextDeadline) }
    if let startsAt { wake = min(wake, startsAt) }
    if let leavesAt { wake = min(wake, leavesAt) }
    return wake
  }

  private func receiveDatagrams() {
    // Bounded, so that a flood keeps nothing else waiting and its answers do not pile up.
    var most = 256
    while most > 0, let datagram = networkRings.datagrams.pop() {
      most -= 1
      core.receive(
        datagram.octets.span.extracting(first: datagram.count), from: datagram.from,
        port: datagram.port == .control ? .control : .data, at: datagram.at, answeredAt: datagram.answeredAt,
        now: MonotonicClock.now)
    }
  }

  /// Does what the core wants done.
  func keepUp(at now: Instant) {
    let acts = core.drain(at: now)
    // Before anybody hears of it.
    store.keep(term: ensemble.highestTerm)
    keepSession(at: now)
    perform(acts)
    let rejected = core.endpoint.peerExtension?.rejectedInstants ?? 0
    if let news = clockWarnings.news(core.endpoint.counters, rejectedInstants: rejected, at: now) {
      log.warning("\(news)")
    }
  }
}
