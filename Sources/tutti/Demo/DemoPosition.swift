import Foundation
import Measurement
import MusicalTime

/// The position of the rhythm of the demo, read from the trace of the master. The properties are members of the lines of ticks.
struct DemoPosition: Equatable, Decodable {
  /// The newest tick in the trace. Ticks are counted from 0.
  var tick: Int64
  /// The total activity at this tick, 0...127.
  var activity: UInt8

  init(tick: Int64, activity: UInt8) { (self.tick, self.activity) = (tick, activity) }

  /// Reads the newest position from the trace at `path`. Nil if the file cannot be read or contains no tick yet.
  init?(trace path: String) {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else { return nil }
    defer { try? file.close() }
    // The last 4096 octets are enough: a tick has less than 300 octets, and the summary has less than 3000.
    try? file.seek(toOffset: end > 4_096 ? end - 4_096 : 0)
    self.init(end: (try? file.readToEnd()) ?? Data())
  }

  /// Reads the newest position from `end`, the last octets of a trace. The beginning of its first line and the end of its last line
  /// can be missing. Nil if `end` contains no complete line of a tick.
  init?(end: Data) {
    let complete = end.prefix(upTo: (end.lastIndex(of: UInt8(ascii: "\n")) ?? end.startIndex))
    for line in complete.split(separator: UInt8(ascii: "\n")).reversed() {
      guard let position = try? JSONDecoder().decode(Self.self, from: Data(line)) else { continue }
      self = position
      return
    }
    return nil
  }
}

/// The activity of the first peer of the demo. It rises from 0 to 127 in the first three quarters of the rhythm, so that all layers of
/// the patch are heard, and then stays at 127.
struct ActivityRamp {
  /// The length of the rhythm in ticks, at least 1.
  let ticks: Int64

  /// The activity at `tick`, 0...127.
  func value(at tick: Int64) -> UInt8 {
    let end = max(1, ticks * 3 / 4)
    return UInt8(min(max(tick, 0), end) * 127 / end)
  }
}
