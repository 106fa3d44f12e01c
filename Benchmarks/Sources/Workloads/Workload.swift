public import MIDI
public import MusicalTime
import _TestSupport

/// A sequence of MIDI messages with instants: the input of the packet benchmarks.
public struct Workload: Sendable {
  /// The messages and their instants, in order. The first instant is 1 s.
  public private(set) var messages: [(message: Message, at: Instant)] = []

  /// A clock at 120 BPM: a Start and then ticks, `count` messages in total.
  public static func clock(count: Int) -> Workload {
    var workload = Workload()
    workload.messages.reserveCapacity(count)
    for tick in 0..<count {
      let instant = Instant(nanoseconds: 1_000_000_000 + Int64(max(0, tick - 1)) * 500_000_000 / 24)
      workload.messages.append((tick == 0 ? .start : .clock, instant))
    }
    return workload
  }

  /// `count` messages of a dense piano part on channel 1, without a clock:
  ///
  /// - Each of two hands plays about ten notes or chords per second. A chord has two or three notes. A note is held for 60...600 ms.
  /// - The pedal (CC 64) goes up and down about once per second.
  /// - Expression (CC 11) has ten values per second, during half of the time.
  ///
  /// - Parameter seed: the same seed gives the same part.
  public static func piano(count: Int, seed: UInt64 = 1) -> Workload {
    let channel = Channel(1)!
    var random = SplitMix(seed: seed)
    var events: [(at: Int64, message: Message)] = []
    // The instant from which each key is free, in milliseconds. A held key is not struck again.
    var freeFrom = [Int64](repeating: 0, count: 128)
    var time: Int64 = 1000
    // The last notes end later than `time`, when other events would follow that are not generated. Therefore 1000 more events are
    // generated, and the last events are cut off below.
    while events.count < count + 1000 {
      for lowest in [36, 60] as [Int64] {
        for _ in 0..<(random.integer(in: 0...9) == 0 ? random.integer(in: 2...3) : 1) {
          let key = lowest + random.integer(in: 0...23)
          guard freeFrom[Int(key)] < time else { continue }
          let end = time + random.integer(in: 60...600)
          freeFrom[Int(key)] = end
          let note = UInt7(masking: UInt8(key))
          let velocity = UInt7(masking: UInt8(random.integer(in: 30...110)))
          events.append((time, .noteOn(channel, key: note, velocity: velocity)))
          events.append((end, .noteOff(channel, key: note, velocity: 64)))
        }
      }
      if time % 1000 < 100 {
        events.append((time, .controlChange(channel, controller: 64, value: 0)))
        events.append((time + 60, .controlChange(channel, controller: 64, value: 127)))
      }
      if time % 4000 < 2000 {
        events.append(
          (time + 50, .controlChange(channel, controller: 11, value: UInt7(masking: UInt8(40 + time % 2000 / 25)))))
      }
      time += 100
    }
    events.sort { $0.at < $1.at }
    var workload = Workload()
    workload.messages = events.prefix(count).map { ($0.message, Instant(nanoseconds: $0.at * 1_000_000)) }
    return workload
  }
}
