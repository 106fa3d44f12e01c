public import MusicalTime
import PeerProtocol

// Led sessions: only one peer, the leader, may control the rhythm. Its deputies may do so in its absence.
//
// The loss of a leader must not silence the others. The order of succession therefore begins with the leaders in their order, and the other
// members follow. A leader that takes over controls the rhythm. Another member only *keeps* it: it sends the clock and calculates the total,
// but it changes nothing else, and the others accept no other change from it. Its claim says so (``Claim/isKept``) and loses against every
// claim of a leader. A leader that enters a kept rhythm takes it over at once, in phase.
//
// Names are not authenticated. In an open group, a modified program can therefore keep a rhythm that never was, just as it can copy the name
// of an absent leader. With a passkey, only the devices of the group can do so.
extension EnsembleState {
  /// The place of the local peer among the leaders of the session; nil if it is none of them, or if any peer may control the rhythm.
  var leaderPlace: Int? { gates.leaders.firstIndex { $0 == "\(identity)" || $0 == roster.localName } }

  /// The place of a member among the leaders of the session.
  func leaderPlace(of member: Identity) -> Int? {
    guard !gates.leaders.isEmpty else { return nil }
    let name = roster.ownedName(of: member)
    return gates.leaders.firstIndex { $0 == "\(member)" || $0 == name }
  }

  /// The name or identity of the peer that prevents a start by the local peer: the leader, or for a deputy a present leader that comes before
  /// it. Nil if the local peer may start a rhythm.
  public func sessionLeader(at now: Instant) -> String? {
    guard let leader = gates.leaders.first else { return nil }
    guard let leaderPlace else { return leader }
    let places = roster.members.filter { roster[$0.slot].isPresent(at: now) }
      .compactMap { self.leaderPlace(of: $0.identity) }
    return places.min().flatMap { $0 < leaderPlace ? gates.leaders[$0] : nil }
  }

  /// Whether a claim of the local peer would only keep the rhythm.
  var keepsOnly: Bool { !gates.leaders.isEmpty && leaderPlace == nil }

  /// The leader for which the local peer, as the master, keeps the rhythm.
  public var keptFor: String? {
    guard role == .master, claim?.isKept == true, keepsOnly else { return nil }
    return gates.leaders.first
  }

  /// Whether the local peer takes the rhythm that it follows from a peer that only keeps it.
  public func endsKeeping(at now: Instant) -> Bool {
    guard role.master != nil, claim?.isKept == true, leaderPlace != nil else { return false }
    return sessionLeader(at: now) == nil
  }

  /// Whether the local peer would follow a rhythm with this claim.
  func admits(_ claim: Claim) -> Bool { mayLead(claim.identity, isKeeper: claim.isKept) }

  /// Whether the local peer would follow a rhythm of a peer: the rhythm gate is open to it, or the peer keeps the rhythm of a led session.
  func mayLead(_ peer: Identity, isKeeper: Bool) -> Bool {
    guard isKeeper, !gates.leaders.isEmpty else { return admits(.rhythm, from: peer) }
    return gates.exception(.rhythm, for: peer, named: roster.ownedName(of: peer)) ?? true
  }

  /// Whether `a` comes before `b` in the order of succession, for the same knowledge of the rhythm.
  func precedes(_ a: (place: Int?, identity: Identity), _ b: (place: Int?, identity: Identity)) -> Bool {
    let places = (a.place ?? .max, b.place ?? .max)
    return places.0 != places.1 ? places.0 < places.1 : a.identity < b.identity
  }
}

extension TimelineMessage {
  /// Whether this newer revision changes at most the total activity: a peer that keeps a rhythm may change nothing else. Only while the same score
  /// plays, the tempo, the bars and the end can change too, because they follow from the score.
  func keeps(_ older: TimelineMessage) -> Bool {
    // Both tempo maps have their last tempo from this tick on.
    let tick = max(tempo.changes.last?.tick ?? tempo.first.originTick, older.tempo.changes.last?.tick ?? start)
    guard start == older.start, countIn == older.countIn, totalRule == older.totalRule, fill == older.fill,
      mix.next == older.mix.next, rhythm.next == older.rhythm.next, score.next == older.score.next,
      tempoFactor == older.tempoFactor
    else { return false }
    return score.next.digest != nil
      || end == older.end && grid.next == older.grid.next && tempo.last == older.tempo.last
        && tempo.deadline(tick) == older.tempo.deadline(tick)
  }
}
