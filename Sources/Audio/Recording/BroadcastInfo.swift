import CSndfile
import Glibc
import MusicalTime

// The Broadcast Wave chunk `bext` (EBU Tech 3285): the name of the peer, and the instant at which the first frame sounded.
extension SF_BROADCAST_INFO {
  /// Creates the chunk for a recording of the peer `name` that begins at `firstFrame` of `grid`.
  init(name: String, firstFrame: Int64, grid: FrameGrid) {
    self.init()
    let nanosecond = grid.instant(of: firstFrame).nanoseconds
    set(\.description, "\(name); first frame at \(nanosecond) ns of CLOCK_MONOTONIC")
    set(\.originator, "Tutti")
    var seconds = time(nil)
    var local = tm()
    localtime_r(&seconds, &local)
    let date = [Int(local.tm_year) + 1900, Int(local.tm_mon) + 1, Int(local.tm_mday)]
    let time = [Int(local.tm_hour), Int(local.tm_min), Int(local.tm_sec)]
    set(\.origination_date, date.map(twoDigits).joined(separator: "-"))
    set(\.origination_time, time.map(twoDigits).joined(separator: ":"))
    version = 1
    timeReference = UInt64(bitPattern: firstFrame)
  }

  /// The number of the first frame, in samples since the origin of the clock.
  var timeReference: UInt64 {
    get { UInt64(time_reference_high) << 32 | UInt64(time_reference_low) }
    set {
      time_reference_low = UInt32(truncatingIfNeeded: newValue)
      time_reference_high = UInt32(truncatingIfNeeded: newValue >> 32)
    }
  }

  /// Copies as many complete characters of `text` as fit into a text field (a C character array). The rest of the field
  /// stays zero.
  private mutating func set<Field: BitwiseCopyable>(_ field: WritableKeyPath<Self, Field>, _ text: String) {
    withUnsafeMutableBytes(of: &self[keyPath: field]) { bytes in
      var fitting = text
      while fitting.utf8.count > bytes.count { fitting.removeLast() }
      bytes.copyBytes(from: fitting.utf8)
    }
  }
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
