import MIDI

/// The tempo map of a Standard MIDI File: it converts ticks of the file to time.
struct TempoMap {
  /// A tempo event: its tick, and the length of a quarter note from this tick on, in microseconds.
  typealias Tempo = (tick: Int64, microsecondsPerQuarter: Int)

  /// The tempo changes, ascending: the tick of the change, the time of this tick in nanoseconds, and the length of the ticks after it in
  /// nanoseconds, as a numerator and a denominator.
  private var changes: [(tick: Int64, time: Int64, length: (Int64, Int64))]

  /// The longest tick in nanoseconds.
  var longestTick: Double { changes.map { Double($0.length.0) / Double($0.length.1) }.max() ?? 0 }

  /// Creates the tempo map of a file. Before the first tempo event, the tempo is 120 BPM. A file with a time code division has no tempo:
  /// the length of its ticks is constant.
  ///
  /// - Parameters:
  ///   - division: the length of a tick.
  ///   - tempos: the tempo events of all tracks, in any order.
  init(_ division: StandardMIDIFile.Division, _ tempos: [Tempo]) {
    switch division {
    case .timeCode(let rate, let ticksPerFrame):
      // 29.97 frames per second are 30 000 frames in 1001 s.
      let perSecond = Int64(ticksPerFrame) * (rate == .frames29 ? 30_000 : Int64(rate.rawValue))
      changes = [(0, 0, (rate == .frames29 ? 1_001_000_000_000 : 1_000_000_000, perSecond))]
    case .ticksPerQuarter(let count):
      changes = [(0, 0, (500_000_000, Int64(count)))]
      for tempo in tempos.sorted(by: { $0.tick < $1.tick }) {
        let time = nanoseconds(at: tempo.tick)
        // If several tempo events have the same tick, the last one applies.
        if changes[changes.count - 1].tick == tempo.tick { changes.removeLast() }
        changes.append((tempo.tick, time, (Int64(tempo.microsecondsPerQuarter) * 1000, Int64(count))))
      }
    }
  }

  /// Returns the time of a tick in nanoseconds since tick 0, rounded down, and limited to 2^61 - 1 ns (73 years).
  func nanoseconds(at tick: Int64) -> Int64 {
    // The last change at or before the tick. The first change applies to all ticks before the second one.
    let change = changes[changes[1...].firstIndex(bySearching: { $0.tick > tick }) - 1]
    let length = Int128(tick - change.tick) * Int128(change.length.0) / Int128(change.length.1)
    return Int64(min(Int128(change.time) + length, Int128(TraceTick.limit)))
  }
}
