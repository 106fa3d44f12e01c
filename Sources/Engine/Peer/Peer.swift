import Audio
import Ensemble
public import Logging
import Measurement
import MusicalTime
public import PeerProtocol
import RTPMIDI
import Realtime
import Receiving
import Rhythm
import Text
import Transports

/// A running Tutti peer: the composition root of threads, transports, ensemble, sound, storage and reporting.
///
/// A peer belongs to the thread that created it, the control thread. ``run(status:watch:snapshot:)`` blocks this thread until the end.
///
///     network thread ── arrivals ──▶ control thread ── schedules, commands ──▶ clock thread ── hits ──▶ audio threads
///           ├─ answers clock probes        └─ sessions, ensemble, trace            └─ ticks to sessions and ports
///           └─ notes ──▶ audio threads, and those of the local player ──▶ clock thread
///
/// Real-time: not safe.
public final class Peer {
  let configuration: PeerConfiguration
  let log: Logger
  let ports: PortPair
  let core: PeerCore
  var probes: ProbeSender
  let clock: ClockThread
  let networkRings: NetworkRings
  let network: NetworkThread
  /// The number of sessions for which the clock thread has memory.
  var sendingCapacity = ClockLoop.initialSessions
  /// The number of sessions for which the network thread has memory.
  var receivingCapacity = SessionBlock.slots
  let sound: SoundOutputs
  /// The ALSA ports; nil if the peer has none.
  var midi: MIDIPorts?
  /// Nil while discovery is off.
  var discovery: Discovery?
  /// The services that discovery has found.
  var services = DiscoveredServices()
  /// Resolves the hosts to connect to.
  let hosts: HostResolver
  /// Resolves the hosts of the contact file.
  let contacts: HostResolver
  /// The contact file, with the addresses of the contacts that are known so far. It is kept while another policy applies. Nil if no
  /// file was read.
  var contactFile: ContactFile?
  /// The connection policy. ``use(_:at:)`` changes it.
  public internal(set) var policy: ConnectionPolicy

  // MARK: Storage and reporting

  var storage: SessionKeeper
  var trace: PeerTrace
  /// Nil without a MIDI recording.
  var recording: PeerRecording?
  var clockWarnings = ClockWarnings()
  /// Detects suspensions of the machine.
  var suspensions = ClockStepDetector(of: .boot)
  var remoteLog: RemoteLog
  /// Nil if there is no observer.
  var observer: EventObserver?
  /// Nil if no snapshots are reported.
  var snapshotObserver: SnapshotObserver?
  /// The newest counters of the clock thread.
  var clockCounters = ClockCounters()
  /// The number of datagrams that the kernel dropped. 0 until the peer leaves.
  var discardedDatagrams: Int64 = 0
  /// The newest counters of the network thread.
  var networkCounters = NetworkCounters()

  // MARK: Identity

  /// Decides whether this peer takes a new identity if a second machine uses the same identity.
  var identityRenewal: IdentityRenewal
  /// How ``run(status:watch:snapshot:)`` will end.
  var outcome = Outcome.left

  // MARK: State of the player

  /// The web page of this peer, as other peers know it. Its port must be set before ``run(status:watch:snapshot:)``. Another thread
  /// sets its delay by the command ``PlayerCommand/pageDelay(_:)``.
  public var page: PageReport {
    get { core.ensemble.page }
    set { core.ensemble.page = newValue }
  }

  /// Selects one of several external clocks.
  var arbiter = ClockArbiter()
  /// The tempo at which the player starts the rhythm.
  var tempo: Tempo
  /// The patch that plays, or that plays from the next bar on.
  public internal(set) var patch: Patch
  /// The name of ``patch`` for the player, as the user has written it. For a received patch: the name in the patch and, in brackets,
  /// the name of the peer that has sent the patch.
  public internal(set) var patchName: String
  /// When ``patch`` begins to play.
  var patchChange = PatchChange()
  /// The name of the patch that the player has chosen last, as the user has written it.
  public internal(set) var chosenPatchName: String
  /// The name of the instrument as the user has written it; nil if the notes of the player are played unchanged.
  public internal(set) var instrumentName: String?
  /// Whether a log line has reported that a remote master muted the local player. The log line that the notes sound again resets the value
  /// to false.
  var isMutingReported = false
  /// The value of the control `tilt forward` (controller 1), 0...127.
  var tilt = 64
  /// The notes of the scale of the instrument; empty without an instrument.
  var instrumentKeys: [UInt8] = []
  /// The phrases that the player has recorded and received.
  var phrases = PeerPhrases()
  /// The instrument, the phrase and the state of the rhythm, as they were last passed to the network thread.
  var instrumentSettings = InstrumentSettings()
  /// The number of times that the local player has chosen the pitch source. Identifies the latest choice.
  var pitchChoices: UInt32 = 0
  /// Checks the patches that masters have sent.
  let patchChecker: PatchChecker
  /// The longest time by which a hit can sound earlier than its step, in all patches that have played. Each step is passed to the sound
  /// earlier by this time.
  var maximumPush: Nanoseconds
  /// The latest instant at which the rhythm starts without a command (`--start`). Nil without `--start`, and after the start.
  var startsAt: Instant?
  /// When the peer leaves; nil while this is not known.
  var leavesAt: Instant?
  /// The name or identity of the configured receiver of the player's notes; nil after that peer has joined.
  var awaitedRecipient: String?
  /// Whether the peer is leaving. A second command to leave then takes effect at once.
  var isLeaving = false

  /// The commands from other threads.
  public let mailbox: Mailbox
  public var identity: Identity { storage.store.identity }
  /// The control port in use.
  public var port: UInt16 { ports.control.port }

  /// The state of the ensemble: roles, activity, gates.
  var ensemble: EnsembleState {
    _read { yield core.ensemble }
    _modify { yield &core.ensemble }
  }

  /// Opens the sound card, the ports, the recording and the trace, loads the SoundFont, and starts the threads. If one of these steps
  /// fails, closes everything that was opened before.
  ///
  /// - Parameter store: the state store, if the caller has opened it already.
  /// - Throws: ``PCMError``, ``TransportError``, ``AudioFileError``, ``TraceError`` or ``EngineError``.
  public init(
    _ configuration: PeerConfiguration, store: StateStore? = nil, mailbox: Mailbox = Mailbox(), log: Logger
  ) throws {
    self.configuration = configuration
    self.mailbox = mailbox
    self.log = log
    tempo = configuration.tempo
    (patch, patchName) = (configuration.patch, configuration.patchName)
    (chosenPatchName, patchChecker) = (configuration.patchName, PatchChecker(bell: mailbox.bell))
    (policy, contactFile) = (configuration.policy, configuration.policy.contacts)
    remoteLog = RemoteLog(log)
    if let path = configuration.trace { try TraceWriter.check(path: path) }
    let midiFile = try configuration.midiRecording.map { try MIDIRecorder.file(at: $0) }
    let resolved: [HostResolver.Host]
    (hosts, resolved, contacts) = try Self.resolveHosts(configuration, mailbox: mailbox)
    // The saved addresses are numeric, so their resolution does not block.
    let restored = (configuration.restored?.peers ?? []).compactMap { try? SocketAddress(resolving: $0) }
    let store = try store ?? StateStore(name: configuration.name, log: log)
    storage = SessionKeeper(store, log: log)
    sound = try SoundOutputs(configuration)
    ports = try PortPair(port: configuration.port)
    ports.dropForeignDatagrams()
    probes = ProbeSender(socket: ports.data)
    let now = MonotonicClock.now
    identityRenewal = IdentityRenewal(startedAt: now, isPermitted: configuration.renewsIdentity)
    let recordingRings = midiFile.map { _ in RecordingRings() }
    let clockRings = ClockRings(recording: recordingRings, reportsHits: configuration.trace != nil)
    do {
      midi = try MIDIPorts(configuration)
      try sound.start(name: configuration.name, rings: clockRings.sound)
    } catch {
      midi?.sequencer.close()
      ports.close()
      throw error
    }
    let memoryAdvice = MemoryLock.lockAll()

    // The sound output may need hits earlier than the configured lead time. A change must be known 20 ms before the sound output needs
    // its hits (``EnsembleState/init(identity:ownTerm:lead:soundLead:activity:)``).
    let table = StepTable(patch)
    maximumPush = table.maximumPush
    let soundLead = sound.lead + maximumPush
    let lead = max(configuration.lead, soundLead + .milliseconds(20))
    // New claims have terms above `previousBound`, because terms up to this bound may have been used before.
    let ensemble = EnsembleState(
      identity: store.identity, ownTerm: storage.previousBound, lead: lead, soundLead: soundLead,
      activity: configuration.activity)
    let peerOptions = configuration.peerOptions
    core = PeerCore(
      name: configuration.name, key: configuration.passkey, ensemble: ensemble,
      invitations: InvitationList(to: [], local: store.identity, at: now),
      options: { peerOptions.options(for: $0, at: $1) }, random: SystemRandomNumberGenerator())
    core.reportsArrivals = configuration.trace != nil
    core.defaultProgram = { ChannelSynthesizer.defaultProgram(of: $0) }
    core.ensemble.gates = configuration.gates
    core.hearing = configuration.hearing
    core.ensemble.masterLoss = configuration.masterLoss
    core.ensemble.totalActivityRule = configuration.totalActivityRule
    core.ensemble.ticksPerBar = patch.meter.ticksPerBar
    core.ensemble.layerChange = patch.layerChange
    core.ensemble.followsPatch = !configuration.ownPatch

    clockRings.table.publish(table)
    instrumentSettings.chords = table.chords
    // Time-stamp receivers get each tick ahead of time, but not before all changes that affect this tick are known: a change is announced
    // `lead` in advance.
    var settings = ClockSettings(
      socket: ports.data, tickLead: lead - .milliseconds(10), soundLead: soundLead)
    // With two outputs, the clock thread passes the sound events to both audio threads.
    settings.hasSecondAudioThread = sound.hasTwoOutputs
    settings.sequencer = midi?.sequencer
    clock = ClockThread(rings: clockRings, settings: settings)
    networkRings = NetworkRings(bell: mailbox.bell, clock: clockRings, hasSecondAudioThread: sound.hasTwoOutputs)
    network = NetworkThread(
      ports: ports, sequencer: midi?.sequencer, identity: store.identity.bits,
      hasPasskey: configuration.passkey != nil, rings: networkRings)

    if configuration.start {
      // The rhythm waits up to 5 s for the sessions with the peers to connect to: see ``startIfDue(at:)``.
      startsAt = now + (configuration.connect.isEmpty && restored.isEmpty ? .milliseconds(100) : .seconds(5))
    } else if let duration = configuration.duration {
      leavesAt = now + duration
    }
    let header = TraceHeader(
      configuration, identity: store.identity, schedulingPolicy: clock.schedulingPolicy,
      memoryLocked: memoryAdvice == nil,
      firstFrame: sound.firstFrame, firstInstant: sound.firstInstant, hasClockPort: midi != nil)
    do {
      trace = PeerTrace(try configuration.trace.map { try TraceWriter(path: $0, header: header) })
    } catch {
      clock.stop()
      network.stop()
      sound.stop(after: MonotonicClock.now)
      sound.abandon()
      midi?.sequencer.close()
      ports.close()
      throw error
    }
    if let midiFile, let recordingRings, let path = configuration.midiRecording {
      let empty = MIDIRecording(name: configuration.name, tempo: tempo, meter: patch.meter)
      let recorder = MIDIRecorder(empty, to: midiFile, path: path, onFailure: { log.warning("\($0)") })
      recording = PeerRecording(recordingRings, recorder, name: configuration.name, meter: patch.meter)
    }
    reportStart(lead: lead, advice: [clock.schedulingPolicy.advice, memoryAdvice].compactMap { $0 })
    for host in resolved { use(host, at: now) }
    for address in restored { core.invitations.configure(InvitationList.Place(address), at: now) }
    for name in hosts.unresolved {
      log.notice("host \(name): no answer from the name server yet; this peer connects when the server has answered")
    }
    use(policy, at: now)
    core.endpoint.sessionsPerHost = configuration.sessionsPerHost
    // The devices of `--admit` have no passkey.
    core.endpoint.exempts = { [admitted = configuration.admitted] address in
      admitted.contains { $0.isSameHost(as: address) }
    }
    handleContacts(at: now)
    share()
    if let instrument = configuration.instrument { choose(instrument, named: configuration.instrumentName) }
  }

  /// Informs the player about the sound card, the lead time and missing permissions.
  private func reportStart(lead: Nanoseconds, advice: [String]) {
    if let summary = sound.summary { log.info("\(summary)") }
    if lead > configuration.lead {
      let (used, configured) = (Int(lead.milliseconds.rounded(.up)), Int(configuration.lead.milliseconds))
      let latency = configuration.latency
      var causes: [String] = []
      // The sound card alone, without `latency`, needs a longer lead time than the configured one.
      if sound.summary != nil, sound.lead - latency + .milliseconds(20) > configuration.lead {
        causes.append("the sound card has a long delay")
      }
      // A short latency does not increase the lead of the sound above the standard lead.
      if latency > .zero, sound.lead > EnsembleState.standardSoundLead {
        causes.append("--latency is \(Int(latency.milliseconds.rounded())) ms")
      }
      if maximumPush > .zero { causes.append("some hits of the rhythm sound before their step") }
      let cause = causes.joined(separator: " and ")
      let effect = "changes of the rhythm take effect \(used - configured) ms later"
      log.notice("--lead-time: \(used) ms instead of \(configured) ms, because \(cause); \(effect)")
    }
    for line in advice { log.warning("\(line)") }
  }

  /// Plays until the command to leave, or until the configured duration is over. Then closes everything and completes the recording and
  /// the trace.
  ///
  /// - Parameters:
  ///   - status: is called about ten times a second.
  ///   - watch: is called with each event.
  ///   - snapshot: is called with the complete state, on each change of the rhythm and about ten times a second. It must return
  ///     at once.
  /// - Returns: whether the peer has left or must be started again with a new identity.
  /// - Throws: ``AudioFileError``, ``TraceError`` or ``EngineError`` if the recording, the trace or the MIDI recording is not
  ///   complete.
  @discardableResult
  public func run(
    status: ((PeerStatus) -> Void)? = nil, watch: ((PeerEvent) -> Void)? = nil,
    snapshot: ((PeerSnapshot) -> Void)? = nil
  ) throws -> Outcome {
    observer = watch.map(EventObserver.init)
    snapshotObserver = snapshot.map(SnapshotObserver.init)
    discovery = startDiscovery()
    storage.saved = configuration.restored
    awaitedRecipient = configuration.recipient.map { $0.cleanName() ?? $0 }
    if let leader = configuration.leader { setLeader(leader) }
    resume(at: MonotonicClock.now)
    var nextStatus = MonotonicClock.now
    while true {
      if let leavesAt, MonotonicClock.now >= leavesAt {
        guard ensemble.role == .master, !isLeaving else { break }
        // A master first hands its rhythm over or stops it.
        execute(.leave)
      }
      // The count of the bell is read before the queues. A command or an event that arrives afterwards changes the count, so the wait at
      // the end of this round ends at once.
      let bellCount = mailbox.bell.count
      // At most 256 commands per round, so that their outputs fit into the rings.
      for command in mailbox.take(256) { execute(command) }
      receiveFromNetwork()
      let now = MonotonicClock.now
      if let duration = suspensions.check() { resume(after: duration, at: now) }
      receiveMIDI(at: now)
      handleDiscovery(at: now)
      handleHosts(at: now)
      handlePatches(at: now)
      handlePhrases(at: now)
      // An external clock announces nothing in advance. With such a clock, the lead time does not cover the delay of web pages, so that the
      // rhythm can follow the tempo changes of the clock.
      core.ensemble.adaptLead(coversPages: externalClock == nil)
      core.advance(to: now)
      startIfDue(at: now)
      executeOutputs(at: now)
      observeRoster(at: now)
      recordTicks(at: now)
      recordSound(at: now)
      if sound.raiseLead() { raiseSoundLead() }
      if let message = sound.warning(at: now) { log.warning("\(message)") }
      remoteLog.report(at: now)
      reportSnapshot(at: now)
      if let status, now >= nextStatus {
        nextStatus = now + .milliseconds(100)
        status(self.status)
      }
      mailbox.bell.wait(until: wakeTime(nextStatus: status == nil ? .distantFuture : nextStatus), since: bellCount)
    }
    try leave()
    return outcome
  }

  /// Passes each step to the sound as early as the sound output and the patch now require.
  func raiseSoundLead() {
    ensemble.raiseSoundLead(to: sound.lead + maximumPush)
    clock.send(.soundLead(ensemble.soundLead))
  }

  /// The instant until which the control thread sleeps, unless its bell rings.
  private func wakeTime(nextStatus: Instant) -> Instant {
    // Each round takes a limited number of commands, datagrams and arrivals. If some remain, the next round follows at once.
    let hasMore = networkRings.events.count > 0 || networkRings.arrivals.count > 0 || !mailbox.isEmpty
    if hasMore { return MonotonicClock.now }
    // The clock thread does not ring the bell for each tick, so the control thread collects the ticks ten times a second.
    var wake = min(nextStatus, MonotonicClock.now + .milliseconds(100))
    wake = min(wake, core.nextDeadline)
    if let midi { wake = min(wake, midi.nextDeadline) }
    if let startsAt { wake = min(wake, startsAt) }
    if let leavesAt { wake = min(wake, leavesAt) }
    return wake
  }

  /// Takes the events of the network thread. Passes to the core the datagrams and RTP packets that the thread has received, and the
  /// messages of the local player that the thread has played. Records the actions of the player in the trace.
  func receiveFromNetwork() {
    // At most 256 events per round, so that a flood of events delays no other work, and so that the replies do not accumulate.
    var remaining = 256
    while remaining > 0, let event = networkRings.events.pop() {
      remaining -= 1
      switch event {
      case .reception(let reception):
        core.receive(
          reception, systemExclusive: { networkRings.exclusives.pop()?.array ?? [] }, now: MonotonicClock.now)
      case .action(let instant, let force): record(TraceAction(at: instant, force: force))
      case .datagram:
        guard let datagram = networkRings.datagrams.pop() else { continue }
        core.receive(
          datagram.octets.span.extracting(first: datagram.count), from: datagram.from,
          to: datagram.to, port: datagram.port == .control ? .control : .data, at: datagram.at,
          answeredAt: datagram.answeredAt, isAuthentic: datagram.isAuthentic, now: MonotonicClock.now)
      }
    }
  }

  /// Executes the outputs of the core.
  func executeOutputs(at now: Instant) {
    let outputs = core.takeOutputs(at: now)
    // After a restart, the peer must know which terms it may have used, so terms are reserved on the disk in advance.
    storage.reserve(for: ensemble.ownTerm)
    saveSession(at: now)
    execute(outputs)
    updateInstrument()
    let rejected = core.endpoint.peerExtension?.rejectedStamps ?? 0
    if let newest = clock.rings.counters.take() { clockCounters = newest }
    if let warning = clockWarnings.warning(
      core.endpoint.counters, rejectedStamps: rejected, withheld: clockCounters.withheld, at: now)
    {
      log.warning("\(warning)")
    }
  }
}
