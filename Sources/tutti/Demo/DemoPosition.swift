import Foundation
import Measurement
import MusicalTime

/// The position of the rhythm of the demo, read from the trace of the master.
struct DemoPosition: Equatable {
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
      guard let record = try? JSONDecoder().decode(Record.self, from: Data(line)) else { continue }
      self.init(tick: record.tick, activity: record.activity)
      return
    }
    return nil
  }

  /// The fields of a line of the trace that are needed here.
  private struct Record: Decodable {
    var tick: Int64
    var activity: UInt8
  }
}
