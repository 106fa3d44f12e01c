import Audio
import Ensemble
import MIDI
import MusicalTime
import Playback
import Realtime
import Rhythm
import Transports

/// The connections between the clock thread and the other threads: triple buffers for state, rings for events.
struct ClockRings: Sendable, BitwiseCopyable {
  // From the control thread to the clock thread. The bell wakes the clock thread.
  let schedule = TripleBuffer(PlaybackSchedule.silence)
  let table = TripleBuffer(StepTable())
  let commands = SPSCRing<ClockCommand>(capacity: 4096)
  let messages = SPSCRing<OutgoingMessage>(capacity: 1024)
  /// The messages of the players that sound here.
  let playedSounds = SPSCRing<Message>(capacity: 1024)
  let bell = Doorbell()
  // From the clock thread to the control thread and to the audio threads.
  let ticks = SPSCRing<TickRecord>(capacity: 8192)
  let counters = TripleBuffer(ClockCounters())
  /// The events for the sound card; without a sound card, for the recording; without both, only to be counted.
  let sounds = SPSCRing<SoundEvent>(capacity: 1024)
  /// The same events for the recording, if there are a sound card and a recording. Otherwise not used.
  let recorded = SPSCRing<SoundEvent>(capacity: 1024)
}

/// The clock thread, with FIFO priority 70. The thread sleeps until the next deadline or command.
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

  /// Passes a message of a player to the local sound. Returns false if the ring is full.
  @discardableResult
  func sound(_ message: Message) -> Bool {
    defer { rings.bell.ring() }
    return rings.playedSounds.push(message)
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
