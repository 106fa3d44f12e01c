import Audio
import Ensemble
import MusicalTime
import Playback
import Realtime
import Rhythm
import Transports

/// Everything that passes between the clock thread and the others: state by triple buffer, events by ring.
struct ClockRings: Sendable, BitwiseCopyable {
  // To the clock thread, from the control thread.
  let schedule = TripleBuffer(PlaybackSchedule.silence)
  let table = TripleBuffer(StepTable())
  let commands = SPSCRing<ClockCommand>(capacity: 4096)
  let messages = SPSCRing<OutgoingMessage>(capacity: 1024)
  let bell = Doorbell()
  // From the clock thread: to the control thread, and to the audio thread.
  let ticks = SPSCRing<TickRecord>(capacity: 8192)
  let counters = TripleBuffer(ClockCounters())
  let sounds = SPSCRing<SoundEvent>(capacity: 1024)
  /// The same for a second sound, where there is one.
  let recorded = SPSCRing<SoundEvent>(capacity: 1024)
}

/// The clock thread: FIFO 70, asleep until the next tick, step or command.
final class ClockThread {
  let rings: ClockRings
  private let thread: RealtimeThread

  var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }

  init(rings: ClockRings, settings: ClockSettings) {
    self.rings = rings
    thread = RealtimeThread(name: "clock", priority: 70) { runClock(rings: rings, settings: settings) }
  }

  /// Hands `command` over and wakes the thread; false when too many wait already.
  @discardableResult
  func send(_ command: ClockCommand) -> Bool {
    defer { rings.bell.ring() }
    return rings.commands.push(command)
  }

  /// Hands a message over and wakes the thread; false when too many wait already.
  @discardableResult
  func send(_ message: OutgoingMessage) -> Bool {
    defer { rings.bell.ring() }
    return rings.messages.push(message)
  }

  /// Ends the thread and waits for it.
  func stop() {
    while !send(.quit) { MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(1)) }
    thread.join()
  }
}

// The loop's room is taken here, on the thread that uses it, before real time begins.
private func runClock(rings: ClockRings, settings: ClockSettings) {
  var loop = ClockLoop(shared: rings, settings: settings)
  loop.run()
}
