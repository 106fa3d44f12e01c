/// What one follower, or all together, have heard.
struct Heard {
  var starts = 0
  var continues = 0
  var stops = 0
  var ticks = 0
  /// Those of them that a journal has brought back.
  var recovered = 0
  /// Ticks that others have had, and it has not.
  var missing = 0
  /// Ticks it has had before.
  var doubled = 0
  /// Clocks while the rhythm stands, or of no tick the others know.
  var strays = 0
  /// RTP packets that never came.
  var lost: Int64 = 0
  /// RTP packets that came twice or could not be read.
  var refused = 0
  /// Datagrams the kernel would not take.
  var unsent = 0

  static func += (total: inout Heard, one: Heard) {
    total.starts += one.starts
    total.continues += one.continues
    total.stops += one.stops
    total.ticks += one.ticks
    total.recovered += one.recovered
    total.missing += one.missing
    total.doubled += one.doubled
    total.strays += one.strays
    total.lost += one.lost
    total.refused += one.refused
    total.unsent += one.unsent
  }
}
