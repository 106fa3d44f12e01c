/// What became of the datagrams an ``Endpoint`` was given. Each is counted once as received, and once more as accepted
/// or under the reason for which it was dropped.
public struct Counters: Hashable, Sendable {
  public internal(set) var received: UInt64 = 0
  public internal(set) var accepted: UInt64 = 0
  /// Neither RTP-MIDI nor a session packet, cut short, or with a fault inside. Commands before the fault counted.
  public internal(set) var malformed: UInt64 = 0
  /// Session packets with a command that is not known here.
  public internal(set) var unknownCommands: UInt64 = 0
  /// From nobody there is a session with.
  public internal(set) var unknownSources: UInt64 = 0
  /// RTP packets received before, too old to tell, or too far ahead to be believed; and probe requests that came again.
  public internal(set) var replayed: UInt64 = 0
  /// Probes outside a session or of another identity than its peer's, and replies that nothing had asked for or that came
  /// twice.
  public internal(set) var strangerProbes: UInt64 = 0
  /// CK1 and CK2 that nothing had asked for or that came twice.
  public internal(set) var unmatchedClocks: UInt64 = 0
  /// Clock packets and probes of a session that put the peer's clock a minute or more from where it was.
  public internal(set) var implausibleClocks: UInt64 = 0
  /// OK and NO to no invitation.
  public internal(set) var unexpectedAnswers: UInt64 = 0
  /// Invitations answered with NO.
  public internal(set) var refusedInvitations: UInt64 = 0

  /// Invitations accepted on the control port and forgotten, being too many or too old, before the data port's came.
  /// These are not datagrams.
  public internal(set) var forgottenInvitations: UInt64 = 0

  /// Send instants of recognised peers that were not used: those that stand still or run backwards, those of the RTP
  /// stream that put the peer's clock a minute or more from where it was, and echoes that cannot be. These are not
  /// datagrams: what else the packet says counts.
  public internal(set) var refusedInstants: UInt64 = 0

  /// All datagrams dropped.
  public var dropped: UInt64 {
    malformed + unknownCommands + unknownSources + replayed + strangerProbes + unmatchedClocks + implausibleClocks
      + unexpectedAnswers + refusedInvitations
  }

  /// What became of one datagram.
  enum Fate {
    case accepted, malformed, unknownCommand, unknownSource, replayed, strangerProbe, unmatchedClock
    case implausibleClock, unexpectedAnswer, refusedInvitation
  }

  mutating func count(_ fate: Fate) {
    received += 1
    switch fate {
    case .accepted: accepted += 1
    case .malformed: malformed += 1
    case .unknownCommand: unknownCommands += 1
    case .unknownSource: unknownSources += 1
    case .replayed: replayed += 1
    case .strangerProbe: strangerProbes += 1
    case .unmatchedClock: unmatchedClocks += 1
    case .implausibleClock: implausibleClocks += 1
    case .unexpectedAnswer: unexpectedAnswers += 1
    case .refusedInvitation: refusedInvitations += 1
    }
  }
}
