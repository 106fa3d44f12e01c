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
  let table = TripleBuffer(StepTable())
  let commands = SPSCRing<ClockCommand>(capacity: 4096)
  let messages = SPSCRing<OutgoingMessage>(capacity: 1024)
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
  let ticks = SPSCRing<TickRecord>(capacity: 8192)
  let counters = TripleBuffer(ClockCounters())
  // From the clock thread and the network thread to the audio threads.
  /// The hits, and the messages of players. If the trace records hits, the first audio thread also passes the hits that have sounded to the
  /// control thread.
  let sound: SoundRings
  /// For the MIDI recording; nil if there is none.
  let recording: RecordingRings?

  /// - Parameter reportsHits: whether the first audio thread reports its hits for the trace.
  init(recording: RecordingRings? = nil, reportsHits: Bool = false) {
    (self.recording, sound) = (recording, SoundRings(reportsHits: reportsHits))
  }
}

/// The clock thread, with FIFO priority 70. The thread sleeps until shortly before the next deadline, or until a command.
final class ClockThread {
  let rings: ClockRings
  private let thread: RealtimeThread

  var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }

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

  /// Plays `table` from the next bar on. If no rhythm plays, the next run begins with `table`.
  func play(_ table: StepTable) {
    rings.table.publish(table)
    rings.bell.ring()
  }

  /// Ends the thread and waits for its end.
  func stop() {
    while !send(.quit) { MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(1)) }
    thread.join()
  }
}

// The loop allocates its memory on its own thread, before the first deadline.
private func runClock(rings: ClockRings, settings: ClockSettings) {
  var loop = ClockLoop(shared: rings, settings: settings)
  loop.run()
}
