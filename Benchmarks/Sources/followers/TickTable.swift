import Measurement
import MusicalTime

/// The ticks of the run, a row each, and how far apart the same tick reached the followers.
///
/// A tick is known by its time stamp, which is the same for all. The master sends them in order, so that only the newest
/// rows are open; a row that falls out of the window is measured and forgotten.
struct TickTable {
  private static let openRows = 64

  private let followers: Int
  private(set) var stamps: [Instant] = []
  /// When the tick reached its first and its last follower.
  private(set) var firsts: [Instant] = []
  private(set) var lasts: [Instant] = []
  /// Arrivals of the open rows, row modulo their number; the distant future where none has come.
  private var arrivals: [Instant]
  /// How long after the tick's first arrival each of its arrivals came.
  private(set) var spread = SignedHistogram()

  init(followers: Int) {
    self.followers = followers
    arrivals = Array(repeating: .distantFuture, count: Self.openRows * followers)
    // Four hours at 120 BPM without another allocation.
    stamps.reserveCapacity(1 << 20)
    firsts.reserveCapacity(1 << 20)
    lasts.reserveCapacity(1 << 20)
  }

  var count: Int { stamps.count }

  /// A tick stamped `stamp` has reached `follower`: its row, nil when no open row is its.
  mutating func arrived(_ stamp: Instant, at instant: Instant, follower: Int) -> Int? {
    var row = stamps.count - 1
    while row >= 0, row > stamps.count - 1 - Self.openRows, stamps[row] > stamp { row -= 1 }
    if row < 0 || stamps[row] < stamp {
      guard row == stamps.count - 1 else { return nil }
      row += 1
      if row >= Self.openRows { measure(row - Self.openRows) }
      stamps.append(stamp)
    }
    guard stamps[row] == stamp, row > stamps.count - 1 - Self.openRows else { return nil }
    let cell = row % Self.openRows * followers + follower
    if arrivals[cell] == .distantFuture { arrivals[cell] = instant }
    return row
  }

  /// Measures the rows that are still open.
  mutating func finish() { while firsts.count < stamps.count { measure(firsts.count) } }

  private mutating func measure(_ row: Int) {
    let cells = row % Self.openRows * followers..<(row % Self.openRows + 1) * followers
    var (first, last) = (Instant.distantFuture, Instant(nanoseconds: .min))
    for cell in cells where arrivals[cell] != .distantFuture {
      first = min(first, arrivals[cell])
      last = max(last, arrivals[cell])
    }
    for cell in cells where arrivals[cell] != .distantFuture {
      spread.record(arrivals[cell] - first)
      arrivals[cell] = .distantFuture
    }
    firsts.append(first)
    lasts.append(last)
  }
}
