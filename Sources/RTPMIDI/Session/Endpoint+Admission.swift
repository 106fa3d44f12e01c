import MusicalTime

/// Admission of sessions that other peers begin.
extension Endpoint {
  /// The number of places that are reserved for hosts without a session, so that one host cannot take all places.
  static var reservedPlaces: Int { 100 }

  /// Whether there is a place for a session with a peer at `address`. The last ``reservedPlaces`` places are only for
  /// hosts without a session.
  func hasRoom(for address: SocketAddress) -> Bool {
    if table.all.count < Self.sessionLimit - Self.reservedPlaces { return true }
    return table.all.count < Self.sessionLimit && !table.all.contains { $0.control.isSameHost(as: address) }
  }

  /// Whether the host of `address` has the maximum number of sessions: see ``sessionsPerHost``.
  func isFull(hostOf address: SocketAddress) -> Bool {
    !address.isLoopback && table.all.count { $0.control.isSameHost(as: address) } >= sessionsPerHost
  }

  /// Answers NO to an invitation, and reports it at a limited rate.
  func decline(
    _ command: SessionCommand, from address: SocketAddress, _ reason: DeclineReason, at now: Instant
  ) -> DatagramOutcome {
    if declined.shouldReport(address, at: now) {
      outputs.append(.declined(name: command.name, from: address, reason))
    }
    return refuse(command, to: address, .control)
  }
}
