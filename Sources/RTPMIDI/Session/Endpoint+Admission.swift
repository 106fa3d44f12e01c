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

/// Why an ``Endpoint`` declines an invitation.
public enum DeclineReason: Hashable, Sendable {
  /// ``Endpoint/admits`` does not permit the session.
  case isNotAdmitted
  /// The host of the peer has ``Endpoint/sessionsPerHost`` sessions already.
  case hostIsFull
  /// The peer has not given its proof within five seconds. The peer must prove that it receives at its address. In a
  /// protected session, it must instead give the proof that the ``ProtocolExtension`` demands.
  case isUnverified
  /// The mark of the peer differs from the local one: see ``ProtocolExtension/mark``. `isMarked` is whether the peer has a mark.
  case hasOtherMark(isMarked: Bool)
}
