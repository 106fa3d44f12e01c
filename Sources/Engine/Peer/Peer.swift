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
/// A peer belongs to the thread that created it, the control thread. ``run(watchers:viewers:)`` blocks this thread until the end.
///
///     network thread ── arrivals ──▶ control thread ── schedules, commands ──▶ clock thread ── hits ──▶ audio threads
///           ├─ answers clock probes        └─ sessions, ensemble, trace            └─ ticks to sessions and ports
///           └─ notes ──▶ audio threads, and those of the local player ──▶ clock thread
///
/// Real-time: not safe.
public final class Peer {
  let configuration: PeerConfiguration
  /// The commands from other threads.
  public let mailbox: Mailbox
  var remoteLog: RemoteLog
  let ports: PortPair
  let core: PeerCore
  var probes: ProbeSender
  let clock: ClockThread
  let network: NetworkThread
  let sound: SoundOutputs
  /// The ALSA ports; nil if the peer has none.
  var midi: MIDIPorts?
  var surroundings: Surroundings
  var lifecycle: Lifecycle
  var storage: SessionKeeper
  var records: Records
  var observer = PeerObserver()
  var clockWarnings = ClockWarnings()
  var patches: PatchChoice
  var scores: ScoreChoice
  var scoreDevices: ScoreDevices
  var instrument: PlayerInstrument
  /// The players on the web pages of this peer.
  var pages = PagePlayers()
  /// The tempo at which the player starts the rhythm.
  var tempo: StartTempo
  /// The tempo of the clock while no rhythm plays, as the clock thread knows it; nil while a rhythm plays, and without `--clock-always`.
  private var idleTempo: Tempo?
  /// The name or identity of the configured receiver of the player's notes; nil after that peer has joined.
  var awaitedRecipient: String?
  /// Whether a log line has reported that a remote master muted the local player. The log line that the notes sound again resets the value
  /// to false.
  var isMutingReported = false
  /// Whether the local player had a part in the moderate beginning (`EnsembleState.activityShare`) in the last round of ``run``.
  private var hadActivityShare = false
  /// The new master that the last log line has named; nil after its role was logged.
  var namedMaster: Identity?

  /// The web page of this peer, as other peers know it. Its port must be set before ``run(watchers:viewers:)``. Another thread sets its delay
  /// by the command ``PlayerCommand/pageDelay(_:)``.
  public var page: PageReport {
    get { core.ensemble.page }
    set { core.ensemble.page = newValue }
  }
  /// The patch that plays, or that plays from the next bar on.
  public var patch: Patch { patches.patch }
  /// The name of the patch that the player has chosen last, as the user has written it.
  public var chosenPatchName: String { patches.chosenName }
  /// The connection policy. ``PlayerCommand/policy(_:)`` changes it.
  public var policy: ConnectionPolicy { surroundings.policy }
  /// The delay after the sound card. ``PlayerCommand/latency(milliseconds:)`` changes it.
  public var latency: Nanoseconds { sound.latency }
  public var identity: Identity { core.identity }
  /// The control port in use.
  public var port: UInt16 { ports.control.port }

  /// The log for lines that only the local player can cause.
  var log: Logger { remoteLog.log }
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
    (self.configuration, self.mailbox, tempo) = (
      configuration, mailbox, StartTempo(configuration)
    )
    remoteLog = RemoteLog(log)
    awaitedRecipient = configuration.recipient.map { $0.cleanName() ?? $0 }
    if let path = configuration.trace { try TraceWriter.check(path: path) }
    let midiFile = try configuration.midiRecording.map { try MIDIRecorder.file(at: $0) }
    surroundings = try Surroundings(configuration, bell: mailbox.bell)
    // The saved addresses are numeric, so their resolution does not block.
    let restored = (configuration.restored?.peers ?? []).compactMap { try? SocketAddress(resolving: $0) }
    let failures = FileFailures()
    let store = try store ?? StateStore(name: configuration.name, log: log)
    storage = SessionKeeper(store, restored: configuration.restored, failures: failures, log: log)
    sound = try SoundOutputs(configuration)
    ports = try PortPair(port: configuration.port)
    ports.dropForeignDatagrams()
    probes = ProbeSender(socket: ports.data)
    let now = MonotonicClock.now
    lifecycle = Lifecycle(configuration, awaitsPeers: !configuration.connect.isEmpty || !restored.isEmpty, at: now)
    let recordingRings = midiFile.map { _ in RecordingRings() }
    let clockRings = ClockRings(
      recording: recordingRings, reportsHits: configuration.trace != nil, hasTwoOutputs: sound.hasTwoOutputs)
    var clocks = ClockArbiter()
    do {
      midi = try MIDIPorts(configuration, addingTo: &clocks)
      try sound.start(name: configuration.name, rings: clockRings.sound)
    } catch {
      midi?.sequencer.close()
      ports.close()
      throw error
    }
    let memoryAdvice = MemoryLock.lockAll()

    // The sound output may need hits earlier than the configured lead time. A change must be known 20 ms before the sound output needs
    // its hits (``EnsembleState/init(identity:ownTerm:lead:soundLead:activity:)``).
    let table = StepTable(configuration.patch)
    (patches, instrument) = (
      PatchChoice(configuration, table, bell: mailbox.bell), PlayerInstrument(chords: table.chords)
    )
    scores = ScoreChoice(configuration, bell: mailbox.bell)
    scoreDevices = ScoreDevices(configuration.scoreDevices)
    let soundLead = sound.lead + table.maximumPush
    // The earliest clock output needs each change 50 ms before its ticks.
    let outputLead = .milliseconds(50) - (configuration.clockOffsets.map(\.offset).min() ?? .zero)
    let lead = max(configuration.lead, soundLead + .milliseconds(20), outputLead)
    // New claims have terms above `previousBound`, because terms up to this bound may have been used before.
    var ensemble = EnsembleState(
      identity: store.identity, name: configuration.name, ownTerm: storage.previousBound, lead: lead,
      soundLead: soundLead,
      activity: configuration.activity)
    if let rule = configuration.totalActivityRule { ensemble.chooseRule(rule, at: now) }
    let peerOptions = configuration.peerOptions
    core = PeerCore(
      name: configuration.name, key: configuration.passkey, ensemble: ensemble,
      invitations: InvitationList(to: [], local: store.identity, at: now),
      options: { peerOptions.options(for: $0, at: $1) }, random: SystemRandomNumberGenerator())
    core.clocks = clocks
    core.reportsArrivals = configuration.trace != nil
    core.clocks.followsTransport = configuration.followsTransport
    core.defaultProgram = { ChannelSynthesizer.defaultProgram(of: $0) }
    core.ensemble.gates = configuration.gates
    core.hearing = configuration.hearing
    core.ensemble.masterLoss = configuration.masterLoss
    core.ensemble.followsPatch = !configuration.ownPatch

    // Time-stamp receivers get each tick ahead of time, but not before all changes that affect this tick are known: a change is announced
    // `lead` in advance.
    var settings = ClockSettings(
      socket: ports.data, tickLead: lead - .milliseconds(10), soundLead: soundLead)
    // With two outputs, the clock thread passes the sound events to both audio threads.
    settings.hasSecondAudioThread = sound.hasTwoOutputs
    settings.sequencer = midi?.sequencer
    settings.recordsTicks = configuration.trace != nil
    settings.lastWakeLead = WakeLeadFile.read()
    settings.offsets = Set(configuration.clockOffsets.map(\.offset)).subtracting([.zero]).sorted()
    clock = ClockThread(rings: clockRings, settings: settings)
    network = NetworkThread(
      ports: ports, sequencer: midi?.sequencer, identity: store.identity.bits,
      hasPasskey: configuration.passkey != nil,
      rings: NetworkRings(bell: mailbox.bell, clock: clockRings, hasSecondAudioThread: sound.hasTwoOutputs))

    let header = TraceHeader(
      configuration, identity: store.identity, schedulingPolicy: clock.schedulingPolicy,
      memoryLocked: memoryAdvice == nil, sound: sound, hasClockPort: midi != nil)
    let trace: PeerTrace
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
    var recording: PeerRecording?
    if let midiFile, let recordingRings, let path = configuration.midiRecording {
      let meter = configuration.patch.meter
      let empty = MIDIRecording(name: configuration.name, tempo: tempo.value, meter: meter)
      let recorder = MIDIRecorder(empty, to: midiFile, path: path, onFailure: { failures.report(.midi, "\($0)") })
      recording = PeerRecording(recordingRings, recorder, name: configuration.name)
    }
    records = Records(trace, recording, failures: failures)
    reportStart(lead: lead, advice: [clock.schedulingPolicy.advice, memoryAdvice].compactMap { $0 })
    core.endpoint.sessionsPerHost = configuration.sessionsPerHost
    // The devices of `--admit` have no passkey.
    core.endpoint.exempts = { [admitted = configuration.admitted] address in
      admitted.contains { $0.isSameHost(as: address) }
    }
    report(surroundings.connect(core, restored: restored, at: now), at: now)
    play(patches.begin(in: core, soundLead: sound.lead, at: now), at: now)
    if let score = configuration.score { execute(.score(score)) }
    if configuration.withRhythm { execute(.withRhythm(true)) }
    if let bar = configuration.startBar { execute(.bar(bar)) }
    if configuration.scoreTempo != 100 { execute(.scoreTempo(percent: configuration.scoreTempo)) }
    for device in configuration.players { adopt(device) }
    for device in configuration.scoreDevices {
      log.info("\(device.device): plays the part \(device.part) of the score as soon as it is connected")
    }
    if let instrument = configuration.instrument { choose(instrument, named: configuration.instrumentName) }
  }

  /// Informs the player about the sound card, the lead time and missing permissions.
  private func reportStart(lead: Nanoseconds, advice: [String]) {
    if let summary = sound.summary { log.info("\(summary)") }
    for path in [configuration.recording, configuration.midiRecording].compactMap({ $0 }) {
      log.info("recording to \(path)")
    }
    if lead > configuration.lead {
      let (used, configured) = (Int(lead.milliseconds.rounded(.up)), Int(configuration.lead.milliseconds))
      let latency = configuration.latency
      var causes: [String] = []
      // The sound card alone, without `latency`, needs a longer lead time than the configured one.
      if sound.summary != nil, sound.lead - max(latency, .zero) + .milliseconds(20) > configuration.lead {
        causes.append("the sound card has a long delay")
      }
      // A short latency does not increase the lead of the sound above the standard lead.
      if latency > .zero, sound.lead > EnsembleState.standardSoundLead {
        causes.append("--latency is \(Int(latency.milliseconds.rounded())) ms")
      }
      if configuration.clockOffsets.contains(where: { $0.offset < .milliseconds(50) - configuration.lead }) {
        causes.append("--clock-offset makes the clock earlier")
      }
      if patches.maximumPush > .zero { causes.append("some hits of the rhythm sound before their step") }
      let cause = causes.joined(separator: " and ")
      let effect = "changes of the rhythm take effect \(used - configured) ms later"
      log.notice("--lead-time: \(used) ms instead of \(configured) ms, because \(cause); \(effect)")
    }
    if !advice.isEmpty { log.notice("timing could be better: run `tutti doctor`") }
    for line in advice { log.debug("\(line)") }
  }

  /// Plays until the command to leave, or until the configured duration is over. Then closes everything and completes the recording and
  /// the trace.
  ///
  /// - Parameters:
  ///   - watchers: are called with each event.
  ///   - viewers: are called with the complete state, on each change of the rhythm and about ten times a second. They must return
  ///     at once.
  /// - Returns: whether the peer has left or must be started again with a new identity.
  /// - Throws: ``AudioFileError``, ``TraceError`` or ``EngineError`` if the recording, the trace or the MIDI recording is not
  ///   complete.
  @discardableResult
  public func run(
    watchers: [(PeerEvent) -> Void] = [], viewers: [(PeerSnapshot) -> Void] = []
  ) throws -> Outcome {
    observer = PeerObserver(watchers: watchers, viewers: viewers)
    surroundings.startDiscovery(ports.control, identity: identity, bell: mailbox.bell)
    if let leaders = configuration.leaders { setLeaders(leaders) }
    let start = MonotonicClock.now
    report(storage.restore(core, at: start), at: start)
    while true {
      if lifecycle.isOver(at: MonotonicClock.now) {
        guard ensemble.role == .master, !lifecycle.isLeaving else { break }
        // A master first hands its rhythm over or stops it.
        execute(.leave)
      }
      // The count of the bell is read before the queues. A command or an event that arrives afterwards changes the count, so the wait at
      // the end of this round ends at once.
      let bellCount = mailbox.bell.count
      // At most 256 commands per round, so that their outputs fit into the rings.
      for (command, player) in mailbox.take(256) { execute(command, by: player) }
      receiveFromNetwork()
      let now = MonotonicClock.now
      if let duration = clockWarnings.suspensions.check() { resume(after: duration, at: now) }
      receiveMIDI(at: now)
      report(surroundings.advance(core, at: now), at: now)
      for checked in patches.checker.take() {
        report(patches.accept(checked, in: core, at: now), at: now)
      }
      play(scores.take(in: core, at: now), at: now)
      takeRecordedPhrases(at: now)
      advanceDevices(at: now)
      advanceScoreDevices(at: now)
      // An external clock announces nothing in advance. With such a clock, the lead time does not cover the delay of web pages, so that the
      // rhythm can follow the tempo changes of the clock.
      core.ensemble.adaptLead(coversPages: core.clocks.inputs.isEmpty)
      core.advance(to: now)
      reportActivityShare(at: now)
      report(storage.resumeIfDue(core, at: now), at: now)
      report(lifecycle.startIfDue(core, in: surroundings, tempo: tempo.value, at: now), at: now)
      executeOutputs(at: now)
      updateIdleClock(at: now)
      observer.compare(rosterEntries, in: core, at: now)
      records.addTicks(
        clock.rings, in: core, on: sound, layers: (patches.patch.layers, from: patches.tick), at: now)
      records.addSound(in: core, on: sound, at: now)
      if sound.raiseLead() { passSoundLead() }
      if let message = sound.warning(at: now) { log.warning("\(message)") }
      for notice in sound.takeRecordingNotices(records.failures) { log.notice("\(notice)") }
      for (file, reason) in records.failures.take() { notify(.fileFailed(file, reason: reason)) }
      remoteLog.report(at: now)
      observer.show(self.snapshot(at: now), of: core, patchNumber: patches.number, at: now)
      mailbox.bell.wait(until: wakeTime, since: bellCount)
    }
    try leave()
    return lifecycle.outcome
  }

  /// Informs the player that the moderate beginning has ended, because another player has set an activity.
  private func reportActivityShare(at now: Instant) {
    let hasShare = ensemble.activityShare > 0
    defer { hadActivityShare = hasShare }
    guard hadActivityShare, !hasShare, ensemble.heldActivity == nil else { return }
    let line = "the players set the activity now; yours is 0 until you press a digit"
    write(line, .info, .activity, of: "your activity", at: now)
  }

  /// Logs the notices of a part of the peer.
  func report(_ notices: [Notice], at now: Instant) { for notice in notices { remoteLog.write(notice, at: now) } }

  /// Logs the notice of a part of the peer, if any.
  func report(_ notice: Notice?, at now: Instant) { if let notice { remoteLog.write(notice, at: now) } }

  /// Handles the end of a suspension: logs it and invites the remote peers again. CLOCK_MONOTONIC stands still during a suspension.
  /// Therefore the clocks of all remote peers are measured again, and the peer joins the rhythm at the next step.
  private func resume(after duration: Nanoseconds, at now: Instant) {
    let seconds = (duration.seconds * 10).rounded() / 10
    log.notice("this machine: was suspended for \(seconds) s; the peer connects to the other peers again")
    core.resume(at: now)
  }

  /// The instant until which the control thread sleeps, unless its bell rings.
  private var wakeTime: Instant {
    // Each round takes a limited number of commands, datagrams and arrivals. If some remain, the next round follows at once.
    let hasMore = network.rings.events.count > 0 || network.rings.arrivals.count > 0 || !mailbox.isEmpty
    if hasMore { return MonotonicClock.now }
    // The clock thread does not ring the bell for each tick, so the control thread collects the ticks ten times a second.
    let wake = min(
      MonotonicClock.now + .milliseconds(100), core.nextDeadline, lifecycle.nextDeadline,
      storage.resumesAt ?? .distantFuture)
    return min(wake, midi?.nextDeadline ?? .distantFuture)
  }

  /// Takes the events of the network thread. Passes to the core the datagrams and RTP packets that the thread has received, and the
  /// messages of the local player that the thread has played. Records the actions of the player in the trace.
  func receiveFromNetwork() {
    // At most 256 events per round, so that a flood of events delays no other work, and so that the replies do not accumulate.
    var remaining = 256
    while remaining > 0, let event = network.rings.events.pop() {
      remaining -= 1
      switch event {
      case .reception(let reception):
        core.receive(
          reception, systemExclusive: { network.rings.exclusives.pop()?.array ?? [] }, now: MonotonicClock.now)
      case .action(let instant, let force):
        records.add(TraceAction(at: instant, force: force))
      case .device(let index, let message, let instant): received(message, fromDevice: index, at: instant)
      case .datagram:
        guard let datagram = network.rings.datagrams.pop() else { continue }
        core.receive(
          datagram.octets.span.extracting(first: datagram.count), from: datagram.from,
          to: datagram.to, port: datagram.port == .control ? .control : .data, at: datagram.at,
          answeredAt: datagram.answeredAt, isAuthentic: datagram.isAuthentic, now: MonotonicClock.now)
      }
    }
  }

  /// Passes the tempo of the stopped peer to the clock thread (`--clock-always`).
  private func updateIdleClock(at now: Instant) {
    guard configuration.clockAlways else { return }
    let stopped = ensemble.role == .idle ? tempo.value : nil
    guard stopped != idleTempo else { return }
    idleTempo = stopped
    if let stopped { clock.send(.idleTempo(stopped, at: now)) }
  }

  /// Executes the outputs of the core.
  func executeOutputs(at now: Instant) {
    var outputs = core.takeOutputs(at: now)
    // The clock thread needs the table of a rhythm before the schedule. This may cause further outputs.
    play(patches.follow(core, soundLead: sound.lead, at: now), at: now)
    play(scores.follow(core, at: now), at: now)
    outputs += core.takeOutputs(at: now)
    // After a restart, the peer must know which terms it may have used, so terms are reserved on the disk in advance.
    storage.reserve(for: ensemble.ownTerm)
    storage.save(core, patch: patches.chosenName, score: scores.file(in: core), tempo: tempo.value, at: now)
    execute(outputs)
    if instrument.isOutdated(in: core, pages: pages) { network.play(instrument.settings(for: core, pages: pages)) }
    if let warning = clockWarnings.warning(withheld: clock.counters.withheld, at: now) { log.warning("\(warning)") }
  }
}
