import Ensemble
import MIDI
import MusicalTime
import Playback
import Transports

/// Sends the rhythm to local programs through the ALSA clock port: Start, Continue, Song Position, Stop, and each tick at its due
/// time. A program that subscribes while the rhythm plays is a late joiner: it gets its own Song Position and Continue at the next bar.
/// Also sends the messages of remote players through the ALSA notes port.
///
/// Used on the clock thread only.
struct ClockPort: BitwiseCopyable {
  private let sequencer: Sequencer
  /// The run that the port has begun with Start or Continue. 0 if no run is playing.
  private(set) var run: UInt32 = 0
  /// The next tick of this run that the port sends.
  private var next = Tick(0)
  /// The late joiners. The first ``waiting`` elements are used.
  private var lateJoiners = InlineArray<32, SequencerAddress>(repeating: SequencerAddress(client: 0, port: 0))
  /// The number of late joiners that wait for the next bar.
  private var waiting = 0
  /// The number of messages that the kernel did not accept.
  private(set) var unsent: Int64 = 0

  @_noLocks @_noAllocation
  init(_ sequencer: Sequencer) { self.sequencer = sequencer }

  /// Adds a new subscriber to the late joiners. Does nothing if no run is playing, or if the subscriber is in the list already. If the list
  /// is full, the subscriber waits for the next Start or Continue that all subscribers get.
  @_noLocks @_noAllocation
  mutating func joined(_ address: SequencerAddress) {
    guard run != 0, waiting < lateJoiners.count else { return }
    var index = 0
    while index < waiting {
      if lateJoiners[index] == address { return }
      index += 1
    }
    lateJoiners[waiting] = address
    waiting += 1
  }

  /// Removes a former subscriber from the late joiners.
  @_noLocks @_noAllocation
  mutating func left(_ address: SequencerAddress) {
    var index = 0
    while index < waiting {
      if lateJoiners[index] == address {
        waiting -= 1
        lateJoiners[index] = lateJoiners[waiting]
      } else {
        index += 1
      }
    }
  }

  /// Begins the run of `schedule` at `tick`: sends Start if `tick` is tick 0, otherwise Song Position and Continue. `tick` is the first
  /// tick of the run or of a bar.
  @_noLocks @_noAllocation
  mutating func begin(at tick: Tick, of schedule: PlaybackSchedule, patternLength: Int64) {
    if tick.index == 0 {
      send(.start)
    } else {
      send(.songPosition(schedule.songPosition(of: tick, patternLength: patternLength)))
      send(.continue)
    }
    // The late joiners are subscribers of the port, so they have begun with all others.
    (run, next, waiting) = (schedule.run, tick, 0)
  }

  /// Sends the ticks up to `tick` that the port has not sent yet. Every subscriber gets every tick. A late joiner gets Continue
  /// between the last tick before a bar and the first tick of the bar, so its first counted tick is that of the bar.
  @_noLocks @_noAllocation
  mutating func sendClock(_ tick: Tick, of schedule: PlaybackSchedule, patternLength: Int64) {
    guard run == schedule.run else { return }
    while next <= tick {
      send(.clock)
      next = next + 1
      if waiting > 0, schedule.begins(at: next) {
        beginLateJoiners(schedule.songPosition(of: next, patternLength: patternLength))
      }
    }
  }

  /// Sends Song Position and Continue to each late joiner and empties the list.
  @_noLocks @_noAllocation
  private mutating func beginLateJoiners(_ position: UInt14) {
    while waiting > 0 {
      waiting -= 1
      let address = lateJoiners[waiting]
      count(sequencer.send(.songPosition(position), from: .clock, to: address))
      count(sequencer.send(.continue, from: .clock, to: address))
    }
  }

  /// Sends Stop if a run is playing.
  @_noLocks @_noAllocation
  mutating func stop() {
    guard run != 0 else { return }
    send(.stop)
    (run, waiting) = (0, 0)
  }

  /// Sends a message of a remote player to the subscribers of the ALSA notes port.
  @_noLocks @_noAllocation
  mutating func pass(_ message: Message) { count(sequencer.send(message, from: .notes)) }

  /// Sends a System Exclusive of a remote device to the subscribers of the ALSA notes port.
  // The real-time checks mistake the end of a span's lifetime for a deallocation.
  @_semantics("no_performance_analysis")
  mutating func pass(_ exclusive: OutgoingExclusive) {
    count(sequencer.send(exclusive: exclusive.octets.span.extracting(first: exclusive.count), from: .notes))
  }

  /// Sends `message` to the subscribers of the clock port.
  @_noLocks @_noAllocation
  private mutating func send(_ message: Message) { count(sequencer.send(message, from: .clock)) }

  /// Counts a message that the kernel did not accept.
  @_noLocks @_noAllocation
  private mutating func count(_ isSent: Bool) { if !isSent { unsent += 1 } }
}
