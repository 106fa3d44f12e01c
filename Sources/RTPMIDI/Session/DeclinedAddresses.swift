import MusicalTime

/// The addresses whose declined invitations were reported within the last minute. Each address is reported at most once
/// a minute, and at most 64 addresses are reported per minute. The limits bound the memory and the number of reports, even if an
/// attacker uses many addresses.
struct DeclinedAddresses {
  private var reported: [(address: SocketAddress, at: Instant)] = []

  /// Returns whether to report `address` now. If so, records it as reported.
  mutating func shouldReport(_ address: SocketAddress, at now: Instant) -> Bool {
    reported.removeAll { now - $0.at >= .seconds(60) }
    guard reported.count < 64, !reported.contains(where: { $0.address == address }) else { return false }
    reported.append((address, now))
    return true
  }
}
