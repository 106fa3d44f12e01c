import MusicalTime

/// The limits of the probe rate. All sessions of a peer together send and accept at most 1000 requests per second.
enum ProbeRate {
  /// The maximum number of requests per second of all sessions together.
  private static let total: Int64 = 1000

  /// Returns the shortest interval between the requests of one session if there are `sessions` sessions.
  static func shortestInterval(sessions: Int) -> Nanoseconds { Nanoseconds(1_000_000_000 / total * Int64(sessions)) }

  /// Returns the maximum number of requests per second from each peer, 1...50, if there are `sessions` sessions. A peer never sends more
  /// than 50 per second (``Recognition``).
  static func limit(sessions: Int) -> UInt16 { UInt16(max(1, min(50, Int(total) / max(1, sessions)))) }
}
