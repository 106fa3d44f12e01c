public import MIDI
public import MusicalTime

/// The report of a Tutti peer about itself. The peer sends its presence to all members every 250 ms, or every second if there are
/// more than 16 members. After a change of anything but the activity and the reported member, it sends its presence at once, but not
/// less than 50 ms after the last presence. After an interruption of the network, the presences are sufficient to reunite the peers.
public struct Presence: Hashable, Sendable {
  /// The identity of the sender. A presence whose identity is not that of the session's peer is dropped.
  public var identity: Identity
  /// The claim of the rhythm that the sender takes part in; nil while idle.
  public var claim: Claim?
  /// The MIDI channel that the sender has claimed; nil if it has claimed none yet, or if no channel was free.
  public var channel: Channel?
  /// The gates that are open for the receiver of this message.
  public var gates: GateSet
  /// Whether the sender would take over if the master disappeared.
  public var takesOver: Bool
  /// Whether the sender asks the master of its ``claim`` to offer it the rhythm.
  public var asksToLead: Bool
  /// The activity of the sender, 0...127: the sum of its players, 127 at most. The sender also sends each change as Expression (CC 11). The
  /// presence repeats the value, because that single message may be lost, or may arrive before the receiver has
  /// recognised the sender.
  public var activity: UInt8
  /// Whether a player of the sender has set the activity, and not only played notes.
  public var hasSetActivity: Bool
  /// The players of the sender.
  public var players: PlayerSummary
  /// The players of the receiver whose notes must not sound, because the sender is the master and has muted them: bit n is slot n of the
  /// receiver's ``PlayerList``. Slot 0 is the local player.
  public var mutedSlots: UInt64
  /// The rhythm that the sender plays, or would start with. While the sender is the master, the rhythm that its player has selected last;
  /// it can still be waiting for its turn. Nil if the sender does not share it.
  public var rhythm: DocumentDigest?
  /// What the sender says about the rhythm that another peer has selected.
  public var answer: RhythmAnswer
  /// The score that the sender has: the one that plays, or would play next. Nil if there is none.
  public var score: DocumentDigest?
  /// The web page of the sender.
  public var page: PageReport
  /// The last run that the sender knows, while it is idle; nil if it knows none.
  public var lastRun: LastRun?
  /// The sending instant by the sender's clock, in nanoseconds, which increases with each presence of the sender to any peer. A peer that
  /// gets the presence from a third peer (``RelayedPresence``) uses each number once.
  public var number: UInt64
  /// The gates of the sender for one of its members, a different one in each presence, so that every peer learns the gates of all pairs.
  /// Nil if the sender has no members.
  public var memberGates: MemberGates?

  public init(
    identity: Identity, claim: Claim?, channel: Channel?, gates: GateSet, takesOver: Bool, activity: UInt8 = 0,
    hasSetActivity: Bool = false, asksToLead: Bool = false, players: PlayerSummary = PlayerSummary(),
    mutedSlots: UInt64 = 0,
    rhythm: DocumentDigest? = nil,
    answer: RhythmAnswer = .none, page: PageReport = PageReport(), lastRun: LastRun? = nil,
    number: UInt64 = 0, memberGates: MemberGates? = nil, score: DocumentDigest? = nil
  ) {
    self.identity = identity
    self.claim = claim
    self.channel = channel
    self.gates = gates
    (self.takesOver, self.asksToLead) = (takesOver, asksToLead)
    self.activity = min(activity, 127)
    self.hasSetActivity = hasSetActivity
    (self.players, self.mutedSlots) = (players, mutedSlots)
    self.rhythm = rhythm
    self.answer = answer
    self.page = page
    (self.lastRun, self.number) = (lastRun, number)
    (self.memberGates, self.score) = (memberGates, score)
  }
}

/// The gates that a peer has opened for one of its members.
public struct MemberGates: Hashable, Sendable {
  /// The member; not 0.
  public let identity: Identity
  public let gates: GateSet

  /// Nil if the identity is 0, which stands for no member in a ``Presence``.
  public init?(_ identity: Identity, _ gates: GateSet) {
    guard identity.bits != 0 else { return nil }
    (self.identity, self.gates) = (identity, gates)
  }
}

/// The players of a peer in numbers, from which the master computes the total activity under each rule.
public struct PlayerSummary: Hashable, Sendable {
  /// The digest of the ``PlayerList``; nil if the only player is the local player.
  public var list: DocumentDigest?
  /// The number of players that count in the mean, 1...64.
  public var count: Int
  /// The sum of the energies, and the greatest one, without the part in the moderate total.
  public var sum: Int
  public var maximum: UInt8

  public init(list: DocumentDigest? = nil, count: Int = 1, sum: Int = 0, maximum: UInt8 = 0) {
    (self.list, self.count, self.sum, self.maximum) = (list, count, sum, maximum)
  }
}

/// The end of the last run of an ensemble. The next run begins with the same tempo and rhythm, unless the player who starts it has chosen
/// others since.
public struct LastRun: Hashable, Sendable {
  /// The term of the claim of the run. Of two runs, the one with the higher term is the later one.
  public var term: UInt64
  /// The last tempo.
  public var tempo: Tempo
  /// The last rhythm; nil if it was not shared.
  public var rhythm: DocumentDigest?

  public init(term: UInt64, tempo: Tempo, rhythm: DocumentDigest?) {
    (self.term, self.tempo, self.rhythm) = (term, tempo, rhythm)
  }
}

/// What a peer says about the rhythm that its master has selected. While nobody plays: that another peer has selected last.
public enum RhythmAnswer: Hashable, Sendable {
  /// The peer does not have the rhythm yet, or knows of none.
  case none
  /// The peer has the rhythm and can play it.
  case ready(DocumentDigest)
  /// The peer has the rhythm and cannot play it.
  case refused(DocumentDigest)
  /// The peer plays its own rhythm, whatever the others select.
  case playsItsOwn

  /// The rhythm that the answer names.
  public var digest: DocumentDigest? {
    switch self {
    case .none, .playsItsOwn: nil
    case .ready(let digest), .refused(let digest): digest
    }
  }
}
