/// Counts of the datagrams that an ``Endpoint`` received. Each datagram counts once as received, and once as accepted
/// or under the reason for which it was dropped.
///
/// Real-time: not safe.
public struct DatagramCounters: Hashable, Sendable {
  public internal(set) var received: UInt64 = 0
  public internal(set) var accepted: UInt64 = 0
  /// Datagrams that are neither RTP-MIDI nor a control packet, that are truncated, or that are malformed. No
  /// command of such a datagram takes effect.
  public internal(set) var malformed: UInt64 = 0
  /// Control packets with an unknown command.
  public internal(set) var unknownCommands: UInt64 = 0
  /// Datagrams that belong to no session. Also late replies of a ``ProtocolExtension`` to requests of an earlier session.
  public internal(set) var unknownSources: UInt64 = 0
  /// RTP packets that were received before, that are too old to determine whether they were received before, or whose
  /// sequence number is implausibly far ahead. Also duplicates of packets of a ``ProtocolExtension``, and BY packets with
  /// the token of another session, such as an earlier one of the same device.
  public internal(set) var replayed: UInt64 = 0
  /// Control packets of a ``ProtocolExtension`` that the extension rejected.
  public internal(set) var rejectedExtensionPackets: UInt64 = 0
  /// CK1 and CK2 packets that reply to no sent packet, or that repeat a reply.
  public internal(set) var unmatchedClocks: UInt64 = 0
  /// Clock packets of a session (CK, or of a ``ProtocolExtension``) whose time stamp is implausible: since the last
  /// accepted time stamp, the remote clock has advanced by at least a minute more or less than the local clock. If the next
  /// time stamp agrees with the rejected one, it is accepted.
  public internal(set) var implausibleClocks: UInt64 = 0
  /// OK and NO packets that answer no invitation of the local peer. Also OK packets with another mark
  /// (``ProtocolExtension/mark``).
  public internal(set) var unexpectedAnswers: UInt64 = 0
  /// Invitations that were answered with NO or ignored. Also packets with a valid proof of an unprotected candidate
  /// (``Candidacy``) whose session was not established: the candidate gave way to another session with the same peer, or
  /// there was no room for its session.
  public internal(set) var refusedInvitations: UInt64 = 0
  /// Datagrams of a protected session that are not authentic (``ProtocolExtension/mark``).
  public internal(set) var notAuthentic: UInt64 = 0

  /// Invitations that were accepted and then dropped, because there were too many, because no invitation on the data
  /// port followed in time, or because the candidate (``Candidacy``) gave no proof or gave way to another session with
  /// the same peer. ``dropped`` does not contain these invitations, because their datagrams already count as accepted.
  public internal(set) var forgottenInvitations: UInt64 = 0

  /// The number of dropped datagrams.
  public var dropped: UInt64 {
    malformed + unknownCommands + unknownSources + replayed + rejectedExtensionPackets + unmatchedClocks
      + implausibleClocks + unexpectedAnswers + refusedInvitations + notAuthentic
  }

  /// Counts a received datagram.
  mutating func count(_ outcome: DatagramOutcome) {
    received += 1
    switch outcome {
    case .accepted: accepted += 1
    case .malformed: malformed += 1
    case .unknownCommand: unknownCommands += 1
    case .unknownSource: unknownSources += 1
    case .replayed: replayed += 1
    case .rejectedExtensionPacket: rejectedExtensionPackets += 1
    case .unmatchedClock: unmatchedClocks += 1
    case .implausibleClock: implausibleClocks += 1
    case .unexpectedAnswer: unexpectedAnswers += 1
    case .refusedInvitation: refusedInvitations += 1
    case .notAuthentic: notAuthentic += 1
    }
  }
}

/// The outcome of one received datagram, see ``DatagramCounters``.
public enum DatagramOutcome: Hashable, Sendable, BitwiseCopyable {
  case accepted, malformed, unknownCommand, unknownSource, replayed, rejectedExtensionPacket, unmatchedClock
  case implausibleClock, unexpectedAnswer, refusedInvitation, notAuthentic
}
