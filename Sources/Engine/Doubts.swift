import RTPMIDI

/// What in the traffic about clocks is worth a word to the player, once each.
struct Doubts {
  /// So many are no accident of the network.
  private static let many = 8

  private var hasToldOfProbes = false
  private var hasToldOfInstants = false

  /// What is to be said, if anything.
  mutating func news(_ counters: Counters) -> String? {
    if !hasToldOfProbes, counters.strangerProbes >= Self.many {
      hasToldOfProbes = true
      return "clock answers that nobody asked for, or twice, come in; they are not used, and the rhythm goes on"
    }
    if !hasToldOfInstants, counters.refusedInstants + counters.implausibleClocks >= Self.many {
      hasToldOfInstants = true
      return "a peer sends stamps that cannot be, as of a clock that jumps or stands still; they are not used, "
        + "and the rhythm goes on"
    }
    return nil
  }
}
