/// The counters of one follower, or their sum.
struct FollowerCounters {
  /// The numbers of Start, Continue and Stop messages.
  var starts = 0
  var continues = 0
  var stops = 0
  /// Ticks that have arrived or were restored.
  var ticks = 0
  /// Ticks that a recovery journal has restored; also counted in ``ticks``.
  var recovered = 0
  /// Ticks that other followers have received and this follower has not.
  var missing = 0
  /// Ticks that this follower has received before.
  var duplicates = 0
  /// Clock messages while the rhythm is stopped, or with a time stamp of no known tick.
  var unexpected = 0
  /// RTP packets that did not arrive.
  var lost: Int64 = 0
  /// RTP packets that are duplicates or malformed.
  var rejected = 0
  /// Datagrams that the kernel did not accept.
  var unsent = 0

  static func += (total: inout FollowerCounters, one: FollowerCounters) {
    total.starts += one.starts
    total.continues += one.continues
    total.stops += one.stops
    total.ticks += one.ticks
    total.recovered += one.recovered
    total.missing += one.missing
    total.duplicates += one.duplicates
    total.unexpected += one.unexpected
    total.lost += one.lost
    total.rejected += one.rejected
    total.unsent += one.unsent
  }
}
