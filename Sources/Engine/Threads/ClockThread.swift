import Audio
import Ensemble
import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Realtime
import Rhythm
import Sending
import Transports

/// The connections between the clock thread and the other threads: triple buffers for state, rings for events.
struct ClockRings: Sendable, BitwiseCopyable {
  // From the control thread to the clock thread. The bell wakes the clock thread.
  let schedule = TripleBuffer(PlaybackSchedule.silence)
  /// The tables of the rhythm that plays and of the next one. Each has the place that the control thread gives it.
  let tables = (TripleBuffer(RhythmTable()), TripleBuffer(RhythmTable()))
  /// The tables of the score that plays and of the next one. Each has the place that the control thread gives it.
  let scores = (TripleBuffer(ScoreTable()), TripleBuffer(ScoreTable()))
  let scoreLevels = TripleBuffer(ScoreLevels())
  let scoreRoutes = TripleBuffer(ScoreRoutes())
  let commands = SPSCRing<ClockCommand>(capacity: 4096)
  let messages = SPSCRing<OutgoingMessage>(capacity: 1024)
  /// The System Exclusives to which ``messages`` refers.
  let exclusives = SPSCRing<OutgoingExclusive>(capacity: 64)
  /// The parts of documents, which go last. A part that does not fit is lost, and its receiver requests it again.
  let documents = SPSCRing<DocumentTransmission>(capacity: 16)
  /// The memory of a new stream. The control thread gives it before the command that opens the stream.
  let memory = Handover<PacketSender>()
  /// Wakes the clock thread. The network thread rings it, too.
  let bell = Doorbell()
  // From the network thread to the clock thread.
  /// The messages of the local player, which have priority over ``messages``. The capacity ensures that no Note Off is lost. It
  /// suffices for the ends of the 2048 notes that the player can hold, and for the largest burst that the player's ``MessageBudget``
  /// admits. It also suffices for a second copy of each of these messages: standard devices get a copy on the channel on which the
  /// message came from the instrument (``PlayerRoute``).
  let playerMessages = SPSCRing<StreamMessage>(capacity: 8192)
  // From the clock thread to the control thread.
  /// At the fastest tempo, 999 BPM, there are 400 ticks per second, so the control thread may be late by five seconds.
  let ticks = SPSCRing<TickRecord>(capacity: 2048)
  let counters = TripleBuffer(ClockCounters())
  // From the clock thread and the network thread to the audio threads.
  /// The hits, and the messages of players. If the trace records hits, the first audio thread also passes the hits that have sounded to the
  /// control thread.
  let sound: SoundRings
  /// For the MIDI recording; nil if there is none.
  let recording: RecordingRings?

  /// - Parameters:
  ///   - reportsHits: whether the first audio thread reports its hits for the trace.
  ///   - hasTwoOutputs: whether the peer has both a sound card and a recording.
  init(recording: RecordingRings? = nil, reportsHits: Bool = false, hasTwoOutputs: Bool = true) {
    (self.recording, sound) = (recording, SoundRings(reportsHits: reportsHits, hasTwoOutputs: hasTwoOutputs))
  }
}

/// The clock thread, with FIFO priority 70. The thread sleeps until shortly before the next deadline, or until a command.
final class ClockThread {
  let rings: ClockRings
  private let thread: RealtimeThread
  /// The number of sessions for which the thread has memory.
  private var capacity = ClockLoop.initialSessions
  private var newestCounters = ClockCounters()
  /// The tables of scores that the thread may still use: for each place, in the order in which they were given.
  private(set) var scoreTables: [[ScoreTable]] = [[], []]

  var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }

  /// The newest counters of the thread.
  var counters: ClockCounters {
    if let newest = rings.counters.take() { newestCounters = newest }
    return newestCounters
  }

  /// Starts the thread.
  init(rings: ClockRings, settings: ClockSettings) {
    self.rings = rings
    thread = RealtimeThread(name: "clock", priority: 70) { runClock(rings: rings, settings: settings) }
  }

  /// Sends `command` to the thread and wakes the thread. Returns false if the ring is full.
  @discardableResult
  func send(_ command: ClockCommand) -> Bool {
    defer { rings.bell.ring() }
    return rings.commands.push(command)
  }

  /// Sends `message` to the thread and wakes the thread. Returns false if the ring is full.
  @discardableResult
  func send(_ message: OutgoingMessage) -> Bool {
    defer { rings.bell.ring() }
    return rings.messages.push(message)
  }

  /// Sends a System Exclusive, without F0 and F7, to the ALSA notes port. One that finds no room is dropped and counted.
  func send(exclusive data: [UInt8]) {
    guard let exclusive = OutgoingExclusive(data), rings.exclusives.push(exclusive) else { return }
    send(.portExclusive)
  }

  /// Sends a command of the stream sender. If the command opens a stream that needs new memory, passes this memory, too. Messages have a
  /// ring of their own, because they wait while a deadline is near.
  func execute(_ command: StreamCommand) {
    if case .open(let stream, _, _, _, _, _, _) = command, stream.slot >= capacity,
      capacity < ClockLoop.maximumSessions
    {
      // `memory` holds the memory of one stream. The thread has taken the previous memory when it has executed the command for which
      // that memory was given.
      while rings.memory.isFull {
        rings.bell.ring()
        MonotonicClock.sleep(until: MonotonicClock.now + .microseconds(100))
      }
      rings.memory.give(PacketSender(ssrc: 0, sequence: 0))
      capacity += 1
    }
    if case .message(let message) = command { send(.stream(message)) } else { send(.stream(command)) }
  }

  /// Plays by `schedule` from now on.
  func play(_ schedule: PlaybackSchedule) {
    rings.schedule.publish(schedule)
    rings.bell.ring()
  }

  /// Sends a part of a document.
  func send(_ part: DocumentTransmission) {
    _ = rings.documents.push(part)
    rings.bell.ring()
  }

  /// Gives the thread the table of a rhythm, in place of the table at this place. The schedule determines when the rhythm plays.
  func play(_ table: RhythmTable, in place: Int) {
    (place == 0 ? rings.tables.0 : rings.tables.1).publish(table)
    rings.bell.ring()
  }

  /// Gives the thread the table of a score, in place of the table at this place, 0 or 1. The schedule determines when the score plays. The
  /// call must precede the schedule that names the score. A table is given once.
  func play(_ table: ScoreTable, in place: Int) {
    scoreTables[place].append(table)
    (place == 0 ? rings.scores.0 : rings.scores.1).publish(table)
    rings.bell.ring()
    freeScoreTables()
  }

  /// Frees the tables of scores that the thread has replaced.
  func freeScoreTables() {
    let (first, second) = counters.scoreTables
    for (place, number) in [first, second].enumerated() {
      guard let used = scoreTables[place].firstIndex(where: { $0.number == number }) else { continue }
      for table in scoreTables[place][..<used] { table.notes.free() }
      scoreTables[place].removeFirst(used)
    }
  }

  /// Sets the levels of the parts of the score.
  func set(_ levels: ScoreLevels) {
    rings.scoreLevels.publish(levels)
    rings.bell.ring()
  }

  /// Sets which parts of the score MIDI devices play.
  func set(_ routes: ScoreRoutes) {
    rings.scoreRoutes.publish(routes)
    rings.bell.ring()
  }

  /// Ends the thread and waits for its end.
  func stop() {
    while !send(.quit) { MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(1)) }
    thread.join()
    for table in scoreTables.joined() { table.notes.free() }
    scoreTables = [[], []]
  }
}

// The loop allocates its memory on its own thread, before the first deadline.
private func runClock(rings: ClockRings, settings: ClockSettings) {
  var loop = ClockLoop(shared: rings, settings: settings)
  loop.run()
}

/// The rings through which the clock thread and the network thread pass events to the audio threads.
struct SoundRings: Sendable, BitwiseCopyable {
  /// The events for the first audio thread. It plays them on the sound card. Without a sound card, it renders the recording. With neither,
  /// it only counts the events.
  let first: SoundEvents
  /// The same events for the recording, if the peer has both a sound card and a recording. Otherwise not used.
  let recording: SoundEvents

  /// - Parameters:
  ///   - reportsHits: whether the first audio thread reports its hits for the trace.
  ///   - hasTwoOutputs: whether ``recording`` is used.
  init(reportsHits: Bool = false, hasTwoOutputs: Bool = true) {
    first = SoundEvents(reportsHits: reportsHits)
    recording = hasTwoOutputs ? SoundEvents() : SoundEvents(capacity: 1)
  }
}
