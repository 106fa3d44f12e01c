import MIDI

/// The times of the ticks of a Standard MIDI File.
struct TempoMap {
  /// A tick, its time in nanoseconds, and the length of the ticks from it on as a fraction of nanoseconds.
  private var changes: [(tick: Int64, time: Int64, length: (Int64, Int64))]

  /// The longest tick in nanoseconds.
  var longestTick: Double { changes.map { Double($0.length.0) / Double($0.length.1) }.max() ?? 0 }

  /// Reads the tempo events of all tracks. Without one, the tempo is 120 BPM.
  init(_ file: StandardMIDIFile) {
    switch file.division {
    case .timeCode(let rate, let ticksPerFrame):
      let perSecond = Int64(ticksPerFrame) * (rate == .frames29 ? 30_000 : Int64(rate.rawValue))
      changes = [(0, 0, (rate == .frames29 ? 1_001_000_000_000 : 1_000_000_000, perSecond))]
    case .ticksPerQuarter(let count):
      changes = [(0, 0, (500_000_000, Int64(count)))]
      let tempos = file.tracks.flatMap(\.events).compactMap { event -> (tick: Int64, quarter: Int64)? in
        guard case .meta(let meta) = event.content, let quarter = meta.microsecondsPerQuarter else { return nil }
        return (event.tick, Int64(quarter) * 1000)
      }
      for tempo in tempos.sorted(by: { $0.tick < $1.tick }) {
        let time = nanoseconds(at: tempo.tick)
        // Of several tempos on one tick, the last one counts.
        if changes[changes.count - 1].tick == tempo.tick { changes.removeLast() }
        changes.append((tempo.tick, time, (tempo.quarter, Int64(count))))
      }
    }
  }

  /// Returns the time of a tick, rounded down to whole nanoseconds. Limited to 2^61 ns, 73 years.
  func nanoseconds(at tick: Int64) -> Int64 {
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].tick <= tick { low = middle } else { high = middle }
    }
    let change = changes[low]
    let length = Int128(tick - change.tick) * Int128(change.length.0) / Int128(change.length.1)
    return Int64(min(Int128(change.time) + length, Int128(TraceTick.limit)))
  }
}
