import MusicalTime

/// The limits of the probe rate. All sessions of a peer together send and accept at most 1000 requests per second.
enum ProbeRate {
  private static let total: Int64 = 1000

  /// The shortest interval between the requests of one session if there are `sessions`.
  static func shortestInterval(sessions: Int) -> Nanoseconds { Nanoseconds(1_000_000_000 / total * Int64(sessions)) }

  /// The maximum number of requests per second from each peer, 1...50, if there are `sessions`.
  static func limit(sessions: Int) -> UInt16 { UInt16(max(1, min(50, Int(total) / max(1, sessions)))) }
}
