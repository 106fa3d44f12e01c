import BasicContainers
import MusicalTime

/// The functions of an ``Endpoint`` that a ``SessionExtension`` can use for its session.
///
/// A context is valid only during the call that receives it as a parameter.
///
/// Real-time: not safe.
public struct SessionContext {
  let endpoint: Endpoint
  let session: Session

  /// The SSRC of the local peer in the session.
  public var localSSRC: UInt32 { session.localSSRC }
  /// The token of the invitation that began the session. Valid until the session is established: if the session then
  /// replaces a local invitation, this value is the token of no invitation.
  public var invitationToken: UInt32 { session.isInitiator ? session.token : session.acceptedToken ?? 0 }
  /// Whether the local peer is the initiator: it has sent the invitation that began the session, or the session has
  /// replaced an invitation of the local peer to the same peer.
  public var isInitiator: Bool { session.isInitiator }
  /// Whether the session is protected: see ``ProtocolExtension/mark``.
  public var isProtected: Bool { session.isProtected }
  /// Whether the peer is a candidate (``Candidacy``): its address may be forged.
  public var isCandidate: Bool { session.candidacy != nil }
  /// The address of the remote data port.
  public var dataAddress: SocketAddress { session.data }
  /// The number of established sessions of the endpoint.
  public var establishedCount: Int { endpoint.establishedCount }
  /// The instant at which the session was established, or at which its candidacy began.
  public var establishedAt: Instant { session.establishedAt }
  /// The arrival of the newest valid datagram of the peer.
  public var lastHeard: Instant { session.lastHeard }

  /// Records that a valid datagram of the peer arrived at `instant`.
  public func hear(at instant: Instant) { session.lastHeard = instant }

  /// Compares a reading of the remote clock with earlier readings. An accepted reading determines the upper bits of RTP
  /// time stamps.
  ///
  /// A clock can step, but rarely does. Therefore, a reading is rejected if it deviates by a minute or more from the newest
  /// accepted reading. If the next reading agrees with the rejected one, the clock has stepped, and the next reading is accepted.
  ///
  /// - Parameters:
  ///   - remote: the reading of the remote clock.
  ///   - local: the local time of the reading.
  /// - Returns: false if the reading is implausible. It is then used only for the comparison with the next reading.
  public func accept(reading remote: Instant, at local: Instant) -> Bool { session.accept(reading: remote, at: local) }

  /// Reports an event of the extension as ``Endpoint/Output/extended(_:_:)``. For a candidate (``Candidacy``), the first four
  /// events are reported after the proof, and further events before the proof are dropped.
  public func report(_ event: ExtensionEvent) { endpoint.report(event, of: session) }

  /// Records that the peer has repeated a value of a packet that the local peer has sent to it. The value must be hard to guess.
  /// The repeated value proves that the peer receives at its address. A session whose peer is a candidate is established now.
  ///
  /// - Returns: false if the session has ended instead, because another session is kept or there is no place for this one.
  public func verifyPeer(at now: Instant) -> Bool { endpoint.verify(session, at: now) }

  /// Records that the peer of a protected session has proved its identity. The session is established now, unless
  /// another session is kept or there is no place for this one.
  ///
  /// An established session with this identity at the same address is kept
  ///
  /// - if it began less than two seconds ago and is preferred, and `isPreferred` is false: both peers have invited each other at the
  ///   same time, and must keep the same session;
  /// - if it began earlier, and the peer is heard on it: an attacker may have recorded an invitation and sent it again.
  ///
  /// - Parameters:
  ///   - identity: the lasting identity that the peer has proved.
  ///   - isPreferred: whether, of two sessions that began at the same time, both peers keep this one.
  /// - Returns: whether the session is established now.
  public func verifyPeer(as identity: UInt64, isPreferred: Bool, at now: Instant) -> Bool {
    endpoint.verify(session, as: identity, isPreferred: isPreferred, at: now)
  }

  /// A random number from the generator of the endpoint.
  public func randomNumber() -> UInt64 { endpoint.randomNumber() }

  /// Reports as ``Endpoint/Output/irregular(_:_:)`` that a packet was not used, or a part of it. An implausible clock packet
  /// (``DatagramOutcome/implausibleClock``) needs no further report.
  public func report(_ irregularity: Irregularity) { endpoint.report(irregularity, of: session) }

  /// Reports a clock measurement as ``Endpoint/Output/clock(_:_:)``.
  public func report(_ transit: ClockTransit) { endpoint.report(transit, of: session) }

  /// Requests by ``Endpoint/Output/extensionPacket(_:to:)`` that the owner of the endpoint sends a packet of the
  /// extension whose content depends on the instant of sending.
  public func requestPacket() {
    endpoint.outputs.append(.extensionPacket(session.id, to: session.data, from: session.local))
  }

  /// Sends a datagram.
  ///
  /// - Parameters:
  ///   - port: the local port.
  ///   - isSealed: whether the datagram is sealed in a protected session (``SessionExtension/seal(_:port:at:)``).
  ///   - encode: appends the datagram, at most 84 octets, and returns whether there was enough room.
  public func send(
    to address: SocketAddress, _ port: Port, isSealed: Bool = true, _ encode: (inout RigidArray<UInt8>) -> Bool
  ) {
    endpoint.send(to: address, from: session.local, port, sealedBy: isSealed ? session : nil, encode)
  }

  /// Records the lasting identity of the peer, and ends the other sessions with this identity in which the peer is
  /// silent. Such a session exists if the peer was restarted and has a new address and a new SSRC.
  public func identifyPeer(as identity: UInt64, at now: Instant) {
    session.peerIdentity = identity
    for other in endpoint.table.all where other !== session && other.peerIdentity == identity {
      if other.isSilent(at: now) { endpoint.end(other, .lost(other.id)) }
    }
  }
}
