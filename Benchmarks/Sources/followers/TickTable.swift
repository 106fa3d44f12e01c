import Measurement
import MusicalTime

/// The ticks of the run, one row each, and how far apart the same tick reached the followers.
///
/// A tick is identified by its time stamp, which is the same for all followers. The master sends ticks in order, so only the newest
/// rows are open for further arrivals. When a row is closed, the table measures it and discards its arrivals.
struct TickTable {
  /// The number of open rows.
  private static let openRows = 64

  private let followers: Int
  /// The time stamp of each tick.
  private(set) var stamps: [Instant] = []
  /// The first arrival of each tick at any follower. Open rows have no value yet.
  private(set) var firsts: [Instant] = []
  /// The last arrival of each tick at any follower. Open rows have no value yet.
  private(set) var lasts: [Instant] = []
  /// The arrivals in the open rows. The arrivals of a row begin at the index (row modulo ``openRows``) times the number of followers.
  /// `distantFuture` if the tick has not arrived at the follower.
  private var arrivals: [Instant]
  /// The delay of each arrival after the first arrival of the same tick.
  private(set) var spread = SignedHistogram()

  init(followers: Int) {
    self.followers = followers
    arrivals = Array(repeating: .distantFuture, count: Self.openRows * followers)
    // Enough for four hours at 120 BPM without reallocation.
    stamps.reserveCapacity(1 << 20)
    firsts.reserveCapacity(1 << 20)
    lasts.reserveCapacity(1 << 20)
  }

  /// The number of rows.
  var count: Int { stamps.count }

  /// Records that the tick with time stamp `stamp` has reached `follower`.
  ///
  /// - Returns: the row of the tick; nil if the row is not open, or if `stamp` has no row although a later stamp has one. The master
  ///   sends ticks in order, so such a stamp is wrong.
  mutating func record(_ stamp: Instant, at instant: Instant, follower: Int) -> Int? {
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

  /// Closes all open rows.
  mutating func finish() { while firsts.count < stamps.count { measure(firsts.count) } }

  /// Closes a row: records the first and the last arrival and the spread, and clears the arrivals.
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
