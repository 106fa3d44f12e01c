import MIDI
import Measurement
import MusicalTime
import Realtime
import Transports

/// Sends a ``FollowerStimulus`` to a port of the ALSA sequencer, on a real-time thread: Start, each tick at its planned
/// instant, and Stop.
final class ClockSender {
  /// A tick that was sent.
  struct SentTick: Sendable, BitwiseCopyable {
    let tick: Int
    /// The instant immediately before the tick was passed to the kernel.
    let instant: Instant
    /// Whether the port could receive the tick.
    let isAccepted: Bool
  }

  /// The scheduling policy of the thread.
  var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }
  /// The ticks that were sent. Exactly one thread may take them from the ring.
  let sent: SPSCRing<SentTick>
  private let thread: RealtimeThread

  /// The time from Start to the first tick. MIDI 1.0 recommends at least 1 ms.
  private static let startLead = Nanoseconds.milliseconds(5)

  /// Starts the thread that sends the ticks.
  ///
  /// - Parameters:
  ///   - ticks: the ticks of the stimulus. Their planned instants are relative to `origin`.
  ///   - origin: the instant of tick 0 in local time.
  ///   - sequencer: the client whose clock port is connected to the device. It must stay open until ``join(within:)``
  ///     has returned true.
  ///   - interruption: ends the stimulus early when it is raised.
  init(_ ticks: [FollowerStimulus.Tick], origin: Instant, to sequencer: Sequencer, interruption: Interruption) {
    let ring = SPSCRing<SentTick>(capacity: ticks.count)
    sent = ring
    thread = RealtimeThread(name: "tutti-clock", priority: 70) {
      MonotonicClock.sleep(until: origin - Self.startLead)
      _ = sequencer.send(.start, from: .clock)
      // The lost ticks of the stimulus are not sent.
      for (number, tick) in ticks.enumerated() where !tick.isLost {
        MonotonicClock.sleep(until: origin + Nanoseconds(tick.planned))
        if interruption.isRaised { break }
        let now = MonotonicClock.now
        let isAccepted = sequencer.send(.clock, from: .clock)
        ring.push(SentTick(tick: number, instant: now, isAccepted: isAccepted))
      }
      _ = sequencer.send(.stop, from: .clock)
    }
  }

  /// Waits until the thread has ended, but at most for `limit`. Returns whether the thread has ended. Must not be called again
  /// after a call has returned true.
  func join(within limit: Nanoseconds) -> Bool { thread.join(within: limit) }
}
