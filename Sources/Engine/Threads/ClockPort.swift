import Ensemble
import MIDI
import MusicalTime
import Playback
import Transports

/// The clock as local programs hear it, on this peer's ALSA clock port: Start, Continue and Song Position, each tick at
/// its moment, Stop. Whoever subscribes while the rhythm plays is told its place at the next bar, addressed to it alone.
struct ClockPort: BitwiseCopyable {
  private let sequencer: Sequencer
  /// The run whose Start or Continue the port has had, 0 for none.
  private(set) var run: UInt32 = 0
  /// The tick it gets next in that run.
  private var next = Tick(0)
  private var latecomers = InlineArray<32, SequencerAddress>(repeating: SequencerAddress(client: 0, port: 0))
  private var waiting = 0
  /// Messages the kernel would not take.
  private(set) var unsent: Int64 = 0

  @_noLocks @_noAllocation
  init(_ sequencer: Sequencer) { self.sequencer = sequencer }

  /// `address` has subscribed, perhaps again. One too many waits for the next start.
  @_noLocks @_noAllocation
  mutating func joined(_ address: SequencerAddress) {
    guard run != 0, waiting < latecomers.count else { return }
    var index = 0
    while index < waiting {
      if latecomers[index] == address { return }
      index += 1
    }
    latecomers[waiting] = address
    waiting += 1
  }

  /// `address` is connected no more.
  @_noLocks @_noAllocation
  mutating func left(_ address: SequencerAddress) {
    var index = 0
    while index < waiting {
      if latecomers[index] == address {
        waiting -= 1
        latecomers[index] = latecomers[waiting]
      } else {
        index += 1
      }
    }
  }

  /// Lets the subscribers begin at `tick`, which is the first of the run, or a bar.
  @_noLocks @_noAllocation
  mutating func begin(at tick: Tick, of schedule: PlaybackSchedule, in bars: Bars) {
    guard run != schedule.run, bars.begins(at: tick, of: schedule) else { return }
    if tick.index == 0 {
      send(.start)
    } else {
      send(.songPosition(bars.songPosition(of: tick.step)))
      send(.continue)
    }
    (run, next, waiting) = (schedule.run, tick, 0)
  }

  /// Sends the ticks up to `tick` that the port has not had. Latecomers hear every tick too, so that they are told to go on
  /// between the last one before a bar and the bar.
  @_noLocks @_noAllocation
  mutating func sendClock(_ tick: Tick, of schedule: PlaybackSchedule, in bars: Bars) {
    guard run == schedule.run else { return }
    while next <= tick {
      send(.clock)
      next = next + 1
      if waiting > 0, bars.begins(at: next, of: schedule) { beginLatecomers(bars.songPosition(of: next.step)) }
    }
  }

  @_noLocks @_noAllocation
  private mutating func beginLatecomers(_ position: UInt14) {
    while waiting > 0 {
      waiting -= 1
      let address = latecomers[waiting]
      count(sequencer.send(.songPosition(position), from: .clock, to: address))
      count(sequencer.send(.continue, from: .clock, to: address))
    }
  }

  /// Sends Stop if anything runs.
  @_noLocks @_noAllocation
  mutating func stop() {
    guard run != 0 else { return }
    send(.stop)
    (run, waiting) = (0, 0)
  }

  /// Gives a message of another player to the programs at the notes port.
  @_noLocks @_noAllocation
  mutating func pass(_ message: Message) { count(sequencer.send(message, from: .notes)) }

  @_noLocks @_noAllocation
  private mutating func send(_ message: Message) { count(sequencer.send(message, from: .clock)) }

  @_noLocks @_noAllocation
  private mutating func count(_ isSent: Bool) { if !isSent { unsent += 1 } }
}
