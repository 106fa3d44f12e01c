import CSndfile
import Glibc
import MusicalTime

// The Broadcast Wave chunk `bext` (EBU Tech 3285): the name of the peer, and the instant at which the first frame sounded.
extension SF_BROADCAST_INFO {
  /// Creates the chunk for a recording of the peer `name` that begins at `firstFrame` of `grid`.
  init(name: String, firstFrame: Int64, grid: FrameGrid) {
    self.init()
    let firstInstant = grid.instant(of: firstFrame).nanoseconds
    set(\.description, "\(name); first frame at \(firstInstant) ns of CLOCK_MONOTONIC")
    set(\.originator, "Tutti")
    // OriginationDate (yyyy-mm-dd) and OriginationTime (hh:mm:ss) are the local date and time.
    var secondsSince1970 = time(nil)
    var now = tm()
    localtime_r(&secondsSince1970, &now)
    // tm_year counts from 1900, and tm_mon counts from 0.
    let date = [Int(now.tm_year) + 1900, Int(now.tm_mon) + 1, Int(now.tm_mday)]
    let timeOfDay = [Int(now.tm_hour), Int(now.tm_min), Int(now.tm_sec)]
    set(\.origination_date, date.map(twoDigits).joined(separator: "-"))
    set(\.origination_time, timeOfDay.map(twoDigits).joined(separator: ":"))
    // The version of the chunk format.
    version = 1
    timeReference = UInt64(bitPattern: firstFrame)
  }

  /// TimeReference: the number of the first frame. EBU Tech 3285 counts samples from midnight. Tutti counts them from the
  /// origin of CLOCK_MONOTONIC (``FrameGrid``), which does not jump when the system clock is set.
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

/// Returns `number`, with a leading zero if it is less than 10.
private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
