import MusicalTime

/// Who may begin a session.
extension Endpoint {
  /// Places that only a host without a session gets, so that no one host can take them all.
  static var reservedPlaces: Int { 100 }

  /// Whether there is a place for a session with a peer at `address`.
  func hasRoom(for address: SocketAddress) -> Bool {
    if table.all.count < Self.sessionLimit - Self.reservedPlaces { return true }
    return table.all.count < Self.sessionLimit && !table.all.contains { $0.control.isSameHost(as: address) }
  }

  /// Answers NO to an invitation that ``admits`` does not allow, and tells it once in a while.
  func decline(_ command: SessionCommand, from address: SocketAddress, at now: Instant) -> Counters.Fate {
    if declined.isWorthTelling(address, at: now) {
      outputs.append(.declined(name: command.name, from: address))
    }
    return refuse(command, to: address, .control)
  }
}
