import MusicalTime

/// Whose invitations were declined within the last minute: the player is told of each address once a minute, and of 64
/// addresses a minute at most.
struct DeclinedAddresses {
  private var told: [(address: SocketAddress, at: Instant)] = []

  /// Whether to tell now; then it has been told.
  mutating func isWorthTelling(_ address: SocketAddress, at now: Instant) -> Bool {
    told.removeAll { now - $0.at >= .seconds(60) }
    guard told.count < 64, !told.contains(where: { $0.address == address }) else { return false }
    told.append((address, now))
    return true
  }
}
