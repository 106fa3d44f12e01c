import Audio
import Ensemble
import MusicalTime
import Playback
import Realtime
import Rhythm
import Sending
import Transports

/// The work of the clock thread. The loop reads the clock, polls the ``StreamSender``, and performs its outputs: it sends packets through
/// the socket, passes the hits of each step to the audio threads, drives the ALSA clock port, and reports ticks to the control thread. The
/// clock thread allocates no memory while the loop runs.
struct ClockLoop: ~Copyable {
  /// The maximum number of simultaneous sessions.
  static var maximumSessions: Int { 1100 }
  /// The number of sessions for which the thread has memory at first. The memory of a session is about 8 kB. For further sessions,
  /// the control thread passes memory to the clock thread (``ClockRings/memory``).
  static var initialSessions: Int { 16 }
  /// The maximum number of commands that are executed before the loop checks the deadlines again. A thousand peers can cause
  /// thousands of commands at once, and each takes up to a microsecond.
  static var slice: Int { @_noLocks @_noAllocation get { 16 } }
  let shared: ClockRings
  let socket: UDPSocket
  var sender: StreamSender
  /// The rhythms that the thread can play: that of the schedule, and the next one.
  var (firstTable, secondTable) = (RhythmTable(), RhythmTable())
  /// From which step on a rhythm sounds that has arrived late.
  var entry = RhythmEntry()
  /// In `heldParts`, the bit with the number of a pitched part is set if notes of the part may still sound. `heldRun` is the run of
  /// the newest step that was passed to the sound.
  var (heldParts, heldRun): (UInt8, UInt32) = (0, 0)
  /// The score.
  var score = ScorePlayback()
  /// The notes of the score that MIDI devices play.
  var scoreMessages = ScoreMessages()
  /// The ALSA clock and notes ports; nil if the peer has none.
  var port: ClockPort?
  /// Whether hits also go to ``SoundRings/recording``.
  let hasSecondAudioThread: Bool
  private var counters = ClockCounters()
  private var wakeLead: WakeLead
  /// The record of the newest tick, until its packets have been sent.
  private var record: TickRecord?
  /// The send instants of the ticks that were sent ahead of time. The time-stamp receivers get these ticks.
  private var departures = TickDepartures()

  init(shared: ClockRings, settings: ClockSettings) {
    self.shared = shared
    socket = settings.socket
    wakeLead = WakeLead(last: settings.lastWakeLead)
    sender = StreamSender(
      capacity: Self.initialSessions, tickLead: settings.tickLead, soundLead: settings.soundLead, reportsTicks: true,
      offsets: settings.offsets)
    // The table of the streams must not grow while the loop runs, so it gets its full size now. Only the memory of the streams themselves
    // is added later.
    sender.reserveTable(Self.maximumSessions)
    sender.needsExactTicks = settings.sequencer != nil || settings.recordsTicks
    hasSecondAudioThread = settings.hasSecondAudioThread
    if let sequencer = settings.sequencer { port = ClockPort(sequencer) }
  }

  /// Runs until the command to quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func run() {
    while true {
      // The count of the bell is read before the rings are read. A command that arrives after this line rings the bell, so the count
      // changes, and `wait` returns at once.
      let bellCount = shared.bell.count
      guard execute() else { return }
      let now = MonotonicClock.now
      guard let next = step(at: now), !hasCommands else { continue }
      // For work with an exact instant, the thread wakes a little before the deadline (``WakeLead``). For all other work, it wakes at
      // the deadline: guard packets, ticks that leave ahead of time, and steps for the sound.
      let due = scoreMessages.nextDue < sender.nextExact ? scoreMessages.nextDue : sender.nextExact
      var wake = due - wakeLead.value
      if next < wake { wake = next }
      guard now < wake else { continue }
      shared.bell.wait(until: wake, since: bellCount)
      wakeLead.record(woken: MonotonicClock.now, after: wake)
    }
  }

  /// Whether ``execute()`` would execute a command now.
  ///
  /// Real-time: safe.
  var hasCommands: Bool {
    // The getter is mutating, because the compiler would copy the whole sender for a non-mutating getter.
    @_noLocks @_noAllocation mutating get { sender.isReady && !sender.isQuiet && shared.commands.count > 0 }
  }

  /// Executes up to ``slice`` commands of the ring. Commands wait while the sender is sending a message or a series of packets, and
  /// while it is quiet (``StreamSender/isQuiet``), shortly before a deadline.
  ///
  /// - Returns: false after the command to quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func execute() -> Bool {
    var remaining = Self.slice
    while remaining > 0, hasCommands, let command = shared.commands.pop() {
      remaining -= 1
      switch command {
      case .stream(let command):
        if let memory = shared.memory.take() { sender.add(memory) }
        sender.execute(command)
      case .soundLead(let lead): sender.soundLead = lead
      case .rhythmLevel(let percent): send(SoundEvent.rhythmLevel(percent, at: MonotonicClock.now))
      case .click(let instant): playCalibrationClick(at: instant, submitted: MonotonicClock.now)
      case .subscribed(let address, let offset): port?.joined(address, by: sender.clock(withOffset: offset))
      case .idleTempo(let tempo, let instant): sender.setIdleTempo(tempo, at: instant)
      case .unsubscribed(let address): port?.left(address)
      case .quit:
        quit(at: MonotonicClock.now)
        return false
      }
    }
    return true
  }

  /// Does the next piece of work that is due at `now`, or that may be done before the next deadline.
  ///
  /// - Returns: the next deadline if there is nothing to do before it. Nil if there may be more work.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func step(at now: Instant) -> Instant? {
    adoptState(at: now)
    if let output = sender.poll(at: now) {
      perform(output, at: now)
      return nil
    }
    passRecord()
    // Shortly before a deadline, the sender is quiet and accepts no message. The notes of the score wait, too, because they are passed far
    // ahead of their instants.
    if !sender.isQuiet, sendScoreMessage(at: now) || passScoreNotes(at: now) || passMessage() { return nil }
    publishCounters()
    // A message that is due waits until the sender is no longer quiet, after its next deadline.
    let (message, next) = (scoreMessages.nextDue, sender.nextDeadline)
    return message < next && message > now ? message : next
  }

  /// Takes the newest tables and adopts the newest schedule.
  @_noLocks @_noAllocation
  private mutating func adoptState(at now: Instant) {
    let schedule = shared.schedule.take()
    // The tables are taken after the schedule. The control thread publishes the tables of a schedule before the schedule, so they are here.
    var hasNewTable = false
    if let table = shared.tables.0.take() { (firstTable, hasNewTable) = (table, true) }
    if let table = shared.tables.1.take() { (secondTable, hasNewTable) = (table, true) }
    adoptScore(at: now)
    if let schedule {
      passAllScoreNotes(at: now)
      sender.adopt(schedule, at: now)
    }
    guard hasNewTable else { return }
    // A pushed hit sounds before its step. After a change of the schedule, the sender leaves out steps whose hits may have
    // sounded already. The sender finds these steps by the largest push.
    let (first, second) = (firstTable.table.maximumPush, secondTable.table.maximumPush)
    sender.push = first < second ? second : first
  }

  /// Passes the next message to the sender or to the ALSA notes port. Messages of the local player go first.
  ///
  /// - Parameter waitsForCommands: if true, messages wait until the ring of commands is empty.
  /// - Returns: whether there was a message, even if the message must still wait.
  @_noLocks @_noAllocation
  private mutating func passMessage(waitsForCommands: Bool = true) -> Bool {
    // These numbers are read before the number of commands. The control thread sends a command before a message that depends on it,
    // so a message that is seen here cannot overtake its command.
    let (isOfPlayer, isOther) = (shared.playerMessages.count > 0, shared.messages.count > 0)
    guard isOfPlayer || isOther else { return passDocument(waitsForCommands: waitsForCommands) }
    if waitsForCommands, shared.commands.count > 0 { return true }
    if isOfPlayer {
      if let message = shared.playerMessages.pop() { sender.execute(.message(message)) }
      return true
    }
    switch shared.messages.pop() {
    case .stream(let message): sender.execute(.message(message))
    case .port(let message): port?.pass(message)
    case .portExclusive: if let exclusive = shared.exclusives.pop() { port?.pass(exclusive) }
    case nil: break
    }
    return true
  }

  /// Passes the next part of a document to the sender.
  @_noLocks @_noAllocation
  private mutating func passDocument(waitsForCommands: Bool) -> Bool {
    guard shared.documents.count > 0 else { return false }
    if waitsForCommands, shared.commands.count > 0 { return true }
    if let part = shared.documents.pop() { sender.send(part) }
    return true
  }

  /// Sends Stop to the receivers that are playing, and then sends all messages in the rings. These messages end the notes that sound at
  /// other peers.
  @_noLocks @_noAllocation
  private mutating func quit(at now: Instant) {
    // No deadline follows, so no packet has to wait for one.
    sender.quietTime = .zero
    sender.setIdleTempo(nil, at: now)
    sender.stopStreams(at: now)
    scoreMessages.silence(at: now)
    while true {
      while let output = sender.poll(at: now) { perform(output, at: now) }
      guard sendScoreMessage(at: now) || passMessage(waitsForCommands: false) else { break }
    }
    passRecord()
    publishCounters()
  }

  /// Publishes the counters for the control thread.
  @_noLocks @_noAllocation
  private mutating func publishCounters() {
    counters.wakeLead = wakeLead.value
    counters.skipped = sender.skipped
    counters.sent = sender.sent
    counters.unsent = sender.unsent
    (counters.withheld, counters.withheldJournals) = (sender.withheld, sender.withheldJournals)
    if let unsent = port?.unsent { counters.unsentToPort = unsent }
    counters.scoreTables = (score.first.number, score.second.number)
    counters.droppedScoreNotes = score.dropped + scoreMessages.dropped
    shared.counters.publish(counters)
  }

  /// Performs an output of the sender.
  @_noLocks @_noAllocation
  private mutating func perform(_ output: StreamSender.Output, at now: Instant) {
    switch output {
    case .packet(let transmission): transmit(transmission)
    case .tick(let tick):
      let acted = MonotonicClock.now
      port?.sendClock(tick, of: sender.schedule, patternLength: sender.patternLength)
      counters.ticks += 1
      passRecord()
      var record = TickRecord(
        tick: tick, due: sender.schedule.deadline(tick), woken: now, acted: acted,
        activity: sender.schedule.total[tick], tempo: sender.schedule.tempo(at: tick),
        grid: sender.schedule.grid[tick], series: sender.schedule.firstRun)
      record.sentAhead = departures.instant(of: tick, series: record.series)
      self.record = record
      publishCounters()
    case .step(let tick): play(tick, at: now)
    case .begin(let tick):
      port?.begin(at: tick, of: sender.schedule, patternLength: sender.patternLength)
    case .end:
      port?.stop()
      // The notes are released only if the rhythm has reached the end of the schedule. Otherwise a new run of the rhythm replaces this one,
      // and may continue its notes.
      if sender.schedule.end < Tick(.max), sender.schedule.deadline(sender.schedule.end) <= now {
        passAllScoreNotes(at: now)
        releaseNotes(at: now)
        if score.isSounding { releaseScore(at: now) }
      }
    case .idleTick: port?.sendIdleClock(by: 0)
    case .shifted(let event, let clock): perform(event, of: clock)
    case .recall(let instant):
      passAllScoreNotes(at: now)
      // The hits and notes of the steps from this instant on are no longer valid: the audio threads discard them.
      var event = SoundEvent.recall(from: instant)
      event.submitted = now
      send(event)
      scoreMessages.recall(from: instant)
    }
  }

  /// Passes an event of a clock with an offset to the ALSA clock port.
  @_noLocks @_noAllocation
  private mutating func perform(_ event: StreamSender.ClockEvent, of clock: Int) {
    switch event {
    case .tick(let tick):
      port?.sendClock(tick, of: sender.schedule, patternLength: sender.patternLength, by: clock)
    case .begin(let tick): port?.begin(at: tick, of: sender.schedule, patternLength: sender.patternLength, by: clock)
    case .end: port?.stop(by: clock)
    case .idleTick: port?.sendIdleClock(by: clock)
    }
  }

  /// Sends the packet of the sender. A packet to a Tutti peer contains its send instant, read right before the system call.
  @_noLocks @_noAllocation
  private mutating func transmit(_ transmission: Transmission) {
    let instant = MonotonicClock.now
    sender.seal(transmission, sentAt: instant)
    let isAccepted = socket.send(sender.packet, to: transmission.address, from: transmission.local)
    if isAccepted, let tick = transmission.tick {
      noteDeparture(of: tick, isAhead: transmission.isAhead, at: instant)
    }
    sender.finish(transmission, isAccepted: isAccepted)
  }

  /// Records the instant at which the first packet with `tick` leaves.
  @_noLocks @_noAllocation
  private mutating func noteDeparture(of tick: Tick, isAhead: Bool, at instant: Instant) {
    if isAhead { return departures.record(tick, series: sender.schedule.firstRun, at: instant) }
    guard case .some(var record) = record, record.tick == tick, case .none = record.sent else { return }
    record.sent = instant
    self.record = record
  }

  /// Passes the record of the newest tick to the control thread.
  @_noLocks @_noAllocation
  private mutating func passRecord() {
    guard let record else { return }
    shared.ticks.push(record)
    self.record = nil
  }
}
