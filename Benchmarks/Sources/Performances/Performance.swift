public import MIDI
public import MusicalTime
import Seeds

/// What a musician, or a clock, says in time: the material of the packet benchmarks.
public struct Performance: Sendable {
  /// Messages, and when each counts, from 1 s on, in order.
  public private(set) var messages: [(message: Message, at: Instant)] = []

  /// `count` ticks at 120 BPM behind a Start.
  public static func clock(count: Int) -> Performance {
    var performance = Performance()
    performance.messages.reserveCapacity(count)
    for tick in 0..<count {
      let instant = Instant(nanoseconds: 1_000_000_000 + Int64(max(0, tick - 1)) * 500_000_000 / 24)
      performance.messages.append((tick == 0 ? .start : .clock, instant))
    }
    return performance
  }

  /// `count` messages of a dense piano part on channel 1: two hands of about ten notes a second each, a chord of two or
  /// three now and then, each held for 60...600 ms; the pedal (CC 64) up and down about every second; a swell (CC 11) of
  /// ten values a second, half of the time. No clock.
  ///
  /// - Parameter seed: the same part for the same seed.
  public static func piano(count: Int, seed: UInt64 = 1) -> Performance {
    let channel = Channel(1)!
    var random = SplitMix(seed: seed)
    var events: [(at: Int64, message: Message)] = []
    // By milliseconds. A key that is down already is not struck again.
    var freeFrom = [Int64](repeating: 0, count: 128)
    var time: Int64 = 1000
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
    var performance = Performance()
    performance.messages = events.prefix(count).map { ($0.message, Instant(nanoseconds: $0.at * 1_000_000)) }
    return performance
  }
}
