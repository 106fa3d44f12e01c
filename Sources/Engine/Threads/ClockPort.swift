import Ensemble
import MIDI
import MusicalTime
import Playback
import Transports

/// Sends the rhythm to local programs through the ALSA clock port: Start, Continue, Song Position, Stop, and each tick at its due
/// time. A program that subscribes while the rhythm plays is a late joiner: it gets its own Song Position and Continue at the next bar.
/// Also sends the messages of remote players through the ALSA notes port.
///
/// A subscriber can have an offset (`--clock-offset`). The ``StreamSender`` has a clock for each offset, and clock 0 is that without an
/// offset. While all subscribers have clock 0, the port sends each message once to all of them. Otherwise, it sends each message of a clock
/// to each subscriber with this clock. The sequencer cannot leave out single subscribers.
///
/// Used on the clock thread only.
struct ClockPort: BitwiseCopyable {
  /// The state of a clock.
  private struct Output: BitwiseCopyable {
    /// The run that the clock has begun with Start or Continue. 0 if no run is playing.
    var run: UInt32 = 0
    /// The next tick of this run.
    var next = Tick(0)
  }

  /// A program that has subscribed to the clock port.
  private struct Subscriber: BitwiseCopyable {
    var address = SequencerAddress(client: 0, port: 0)
    /// The index of its clock. The type keeps ``ClockPort`` small, because the compiler copies the clock loop in places.
    var clock: UInt8 = 0
  }

  private let sequencer: Sequencer
  /// The clocks by index: ``StreamSender/maximumOffsets`` + 1.
  private var outputs = InlineArray<9, Output>(repeating: Output())
  /// The subscribers. The first ``count`` elements are used. A further subscriber gets nothing while a subscriber has an offset.
  private var subscribers = InlineArray<64, Subscriber>(repeating: Subscriber())
  /// The number of known subscribers.
  private var count = 0
  /// The number of known subscribers with an offset.
  private var shifted = 0
  /// The late joiners. The first ``waiting`` elements are used.
  private var lateJoiners = InlineArray<32, Subscriber>(repeating: Subscriber())
  /// The number of late joiners that wait for the next bar.
  private var waiting = 0
  /// The number of messages that the kernel did not accept.
  private(set) var unsent: Int64 = 0

  @_noLocks @_noAllocation
  init(_ sequencer: Sequencer) { self.sequencer = sequencer }

  /// Adds a new subscriber, whose messages are those of the clock with this index. While a run is playing, the subscriber is a late joiner.
  /// Does nothing if the subscriber is known. If the list of late joiners is full, the subscriber waits for the next Start or Continue that
  /// all subscribers get.
  @_noLocks @_noAllocation
  mutating func joined(_ address: SequencerAddress, by clock: Int) {
    addSubscriber(address, by: clock)
    guard outputs[clock].run != 0, waiting < lateJoiners.count else { return }
    for index in 0..<waiting where lateJoiners[index].address == address { return }
    lateJoiners[waiting] = Subscriber(address: address, clock: UInt8(truncatingIfNeeded: clock))
    waiting += 1
  }

  @_noLocks @_noAllocation
  private mutating func addSubscriber(_ address: SequencerAddress, by clock: Int) {
    for index in 0..<count where subscribers[index].address == address { return }
    guard count < subscribers.count else { return }
    subscribers[count] = Subscriber(address: address, clock: UInt8(truncatingIfNeeded: clock))
    count += 1
    if clock != 0 { shifted += 1 }
  }

  /// Removes a former subscriber.
  @_noLocks @_noAllocation
  mutating func left(_ address: SequencerAddress) {
    for index in 0..<count where subscribers[index].address == address {
      if subscribers[index].clock != 0 { shifted -= 1 }
      count -= 1
      subscribers[index] = subscribers[count]
      break
    }
    for index in 0..<waiting where lateJoiners[index].address == address {
      waiting -= 1
      lateJoiners[index] = lateJoiners[waiting]
      break
    }
  }

  /// Begins the run of `schedule` at `tick`: sends Start if `tick` is tick 0, otherwise Song Position and Continue. `tick` is the first
  /// tick of the run or of a bar.
  @_noLocks @_noAllocation
  mutating func begin(at tick: Tick, of schedule: PlaybackSchedule, patternLength: Int64, by clock: Int = 0) {
    if tick.index == 0 {
      send(.start, by: clock)
    } else {
      send(.songPosition(schedule.songPosition(of: tick, patternLength: patternLength)), by: clock)
      send(.continue, by: clock)
    }
    // The late joiners are subscribers of the port, so they have begun with all others.
    removeLateJoiners(of: clock)
    (outputs[clock].run, outputs[clock].next) = (schedule.run, tick)
  }

  /// Sends the ticks up to `tick` that the clock has not sent yet. Every subscriber gets every tick. A late joiner gets Continue
  /// between the last tick before a bar and the first tick of the bar, so its first counted tick is that of the bar.
  @_noLocks @_noAllocation
  mutating func sendClock(_ tick: Tick, of schedule: PlaybackSchedule, patternLength: Int64, by clock: Int = 0) {
    guard outputs[clock].run == schedule.run else { return }
    while outputs[clock].next <= tick {
      send(.clock, by: clock)
      let next = outputs[clock].next + 1
      outputs[clock].next = next
      if waiting > 0, schedule.begins(at: next) {
        beginLateJoiners(of: clock, schedule.songPosition(of: next, patternLength: patternLength))
      }
    }
  }

  /// Sends a tick of the idle clock, unless a run is playing.
  @_noLocks @_noAllocation
  mutating func sendIdleClock(by clock: Int) {
    if outputs[clock].run == 0 { send(.clock, by: clock) }
  }

  /// Sends Song Position and Continue to each late joiner of a clock, and removes it from the list.
  @_noLocks @_noAllocation
  private mutating func beginLateJoiners(of clock: Int, _ position: UInt14) {
    for index in 0..<waiting where Int(lateJoiners[index].clock) == clock {
      let address = lateJoiners[index].address
      record(sequencer.send(.songPosition(position), from: .clock, to: address))
      record(sequencer.send(.continue, from: .clock, to: address))
    }
    removeLateJoiners(of: clock)
  }

  @_noLocks @_noAllocation
  private mutating func removeLateJoiners(of clock: Int) {
    var index = 0
    while index < waiting {
      if Int(lateJoiners[index].clock) == clock {
        waiting -= 1
        lateJoiners[index] = lateJoiners[waiting]
      } else {
        index += 1
      }
    }
  }

  /// Sends Stop if a run is playing.
  @_noLocks @_noAllocation
  mutating func stop(by clock: Int = 0) {
    guard outputs[clock].run != 0 else { return }
    send(.stop, by: clock)
    removeLateJoiners(of: clock)
    outputs[clock].run = 0
  }

  /// Sends a message of a remote player to the subscribers of the ALSA notes port.
  @_noLocks @_noAllocation
  mutating func pass(_ message: Message) { record(sequencer.send(message, from: .notes)) }

  /// Sends a message of the score from the ALSA notes port to one port.
  @_noLocks @_noAllocation
  mutating func pass(_ message: Message, to address: SequencerAddress) {
    record(sequencer.send(message, from: .notes, to: address))
  }

  /// Sends a System Exclusive of a remote device to the subscribers of the ALSA notes port.
  // The real-time checks mistake the end of a span's lifetime for a deallocation.
  @_semantics("no_performance_analysis")
  mutating func pass(_ exclusive: OutgoingExclusive) {
    record(sequencer.send(exclusive: exclusive.octets.span.extracting(first: exclusive.count), from: .notes))
  }

  /// Sends `message` to the subscribers of the clock port that have the clock with this index.
  @_noLocks @_noAllocation
  private mutating func send(_ message: Message, by clock: Int) {
    if shifted == 0 {
      if clock == 0 { record(sequencer.send(message, from: .clock)) }
      return
    }
    for index in 0..<count where Int(subscribers[index].clock) == clock {
      record(sequencer.send(message, from: .clock, to: subscribers[index].address))
    }
  }

  /// Counts a message that the kernel did not accept.
  @_noLocks @_noAllocation
  private mutating func record(_ isSent: Bool) { if !isSent { unsent += 1 } }
}
