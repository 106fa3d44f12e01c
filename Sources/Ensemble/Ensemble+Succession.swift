import ClockSync
public import MusicalTime
public import PeerProtocol
import Playback

// Who goes on with the rhythm when its master does not.
//
// The line is the same for all who know the same: those in session that follow this rhythm, have been heard within
// ``silence`` and say that they take over, lowest identity first. Rank r takes over when the master has been silent for
// ``silence`` and r times ``turn``, unless somebody has by then. Whoever vanished together with the master drops out of the
// line by its own silence, so that the first one left goes within 2 s whoever is gone. When two go at once, the order of
// claims settles it, and nobody hears it, as both go on in phase.
extension Ensemble {
  /// After so long without a packet a peer is taken for gone.
  public static var silence: Nanoseconds { .milliseconds(1500) }
  /// How much longer each in line waits than the one before, which is time to hear of that one's claim.
  static var turn: Nanoseconds { .milliseconds(100) }
  /// The least time between two tellings to a peer that does not know the rhythm that plays. Where one packet in five is
  /// lost, and losses come together, ten of them within the second that two masters have.
  static var correction: Nanoseconds { .milliseconds(100) }

  /// Whether a master that is in session still leads the rhythm.
  enum Standing: Sendable {
    case leads
    /// Its session has ended, or begun anew: until it says so itself, nobody knows whether it knows of the rhythm.
    case isUnknown
    /// It says that it plays nothing, or by another claim.
    case hasGivenUp
  }

  /// Whether this peer would go on with the rhythm if its master vanished. In a session that another leads it would not be
  /// followed.
  var takesOver: Bool { masterLoss == .continue && leader == nil }

  /// Who alone may control the rhythm by the own gates: name or identity of another; nil when anybody may.
  var leader: String? {
    guard gates.areLed else { return nil }
    return gates.exceptions.filter { $0.value[.rhythm] == true }.keys.min()
  }

  /// Something has come from the peer with this identity.
  public mutating func heard(_ peer: Identity, at now: Instant) {
    if role == .follower(of: peer), standing == .leads { masterHeard = now }
    guard let place = acquaintances.index(forKey: peer),
      let (last, presence) = acquaintances.values[place].hear(at: now)
    else { return }
    // Who knows what it has missed. Four intervals are a second at least.
    if now - last >= .seconds(1) {
      if role == .master, let timelineMessage { emit(.tell(timelineMessage, to: peer, isNews: true)) }
      if now - last >= Nanoseconds(4 * company.interval.count) { present(to: peer, isNews: true, at: now) }
    }
    if role == .master, let presence, isBehind(presence.claim) { correct(peer, at: now) }
  }

  /// The peer with identity `sender` says that it takes part in the rhythm of this claim, nil while it is idle.
  mutating func heardClaim(_ claim: Claim?, from sender: Identity, at now: Instant) {
    guard let timelineMessage else { return }
    if role == .follower(of: sender) {
      if claim == timelineMessage.claim {
        confirmMaster(at: now)
      } else if standing == .leads {
        standing = .hasGivenUp
      }
    }
    guard timelineMessage.claim.identity == identity else { return }
    if role == .idle || role == .master, isBehind(claim) { correct(sender, at: now) }
  }

  /// Whether who says that it takes part in the rhythm of this claim has missed the end of this peer's own rhythm, or while
  /// that plays has not heard of it.
  private func isBehind(_ claim: Claim?) -> Bool {
    guard let timelineMessage else { return false }
    return role == .idle ? claim == timelineMessage.claim : claim.map { $0 < timelineMessage.claim } ?? true
  }

  /// Tells a peer of the own rhythm, but not more often than it can be of use, nor one that lets nobody tell it.
  mutating func correct(_ peer: Identity, at now: Instant) {
    guard let timelineMessage, acquaintances[peer]?.presence?.gates[.rhythm] != false else { return }
    if let last = acquaintances[peer]?.corrected, now - last < Self.correction { return }
    acquaintances[peer]?.corrected = now
    emit(.tell(timelineMessage, to: peer, isNews: false))
  }

  /// The master has said that it leads the rhythm.
  mutating func confirmMaster(at now: Instant) { (standing, masterHeard) = (.leads, now) }

  /// Those who would go on with the rhythm that plays if its master vanished, but for this peer; the first in line first.
  func line(at now: Instant) -> [Identity] {
    guard let claim else { return [] }
    return acquaintances.filter { peer, acquaintance in
      guard peer != claim.identity, acquaintance.isThere(at: now), let presence = acquaintance.presence else {
        return false
      }
      return presence.takesOver && presence.claim == claim && (role == .master || admits(.rhythm, from: peer))
    }.keys.sorted()
  }

  /// When the master's silence is looked at next.
  var nextSuccession: Instant {
    guard case .follower(let master) = role else { return .distantFuture }
    // Nobody is followed through a closed gate.
    guard admits(.rhythm, from: master) else { return Instant(nanoseconds: .min) }
    return max(masterHeard + Self.silence, successionDue)
  }

  /// Looks at the master's silence when that is due: goes on with the rhythm when it is this peer's turn, ends it when there
  /// is nobody to wait for.
  mutating func succeed(at now: Instant) {
    guard case .follower(let master) = role, now >= nextSuccession else { return }
    guard admits(.rhythm, from: master) else { return end(at: now) }
    let plays = schedule.run != 0 && schedule.deadline(schedule.end) > now
    let awaits = awaitsAnother(than: master)
    if awaits, plays, acquaintances[master]?.isThere(at: now) == true {
      successionDue = now + Self.turn
      return
    }
    guard awaits || standing != .hasGivenUp, takesOver, plays else {
      successionDue = masterHeard + Self.coasting
      guard now >= successionDue else { return }
      end(at: now)
      return emit(.masterLost(master))
    }
    let rank = line(at: now).prefix { $0 < identity }.count
    var due = masterHeard + Self.silence + Nanoseconds(Self.turn.count * Int64(rank))
    // Somebody says that it has taken over: its timeline message is on its way.
    if isTaken(at: now) { due = max(due, masterHeard + Self.coasting) }
    if now >= due { return takeOver(from: master, at: now) }
    // Those before this one may vanish yet.
    successionDue = min(due, now + Self.turn)
  }

  /// Whether the master has given this rhythm up for one that this peer would follow too, but whose master it has not heard
  /// yet, as when halves of a network meet again: until then it goes on by itself. Once nothing more comes from the old
  /// master either, that one is gone as any other.
  private func awaitsAnother(than master: Identity) -> Bool {
    guard standing == .hasGivenUp, let claim, let other = acquaintances[master]?.presence?.claim else { return false }
    return other > claim && other.identity != identity && admits(.rhythm, from: other.identity)
  }

  /// Whether a peer that would be followed says that it leads the rhythm by a claim which outranks the one that plays.
  private func isTaken(at now: Instant) -> Bool {
    guard let claim else { return false }
    return acquaintances.contains { peer, acquaintance in
      guard let other = acquaintance.presence?.claim, other.identity == peer, other > claim else { return false }
      return acquaintance.isThere(at: now) && admits(.rhythm, from: peer)
    }
  }

  /// Ends the rhythm here, at what can still be changed.
  mutating func end(at now: Instant) {
    schedule.end = min(schedule.end, schedule.firstTick(notBefore: now))
    emit(.play(schedule))
    finish()
  }

  /// Claims the rhythm that plays here and goes on with it: the same ticks, each when it would have been due.
  ///
  /// The own clock takes the place of the master's: from the first tick that is not with the sound yet the rhythm goes at
  /// the tempo that it has by the own clock. An error that was being made good at this moment is left as it is, so that
  /// nothing moves here; the others go towards it.
  mutating func takeOver(from master: Identity, at now: Instant) {
    highestTerm = highestTerm == .max ? .max : highestTerm + 1
    let tick = schedule.firstTick(notBefore: now + soundLead)
    let isChanged = tick >= schedule.changeTick
    let change = TempoChange(tempo: schedule.ownTempo(schedule.changed.tempo), tick: schedule.changeTick)
    timelineMessage = TimelineMessage(
      claim: Claim(term: highestTerm, identity: identity), revision: 0,
      start: planned ? timelineMessage?.start ?? schedule.start : schedule.start, end: schedule.end,
      timeline: Timeline(
        tempo: isChanged ? change.tempo : schedule.ownTempo(schedule.timeline.tempo), tick: tick,
        at: schedule.deadline(tick)),
      change: isChanged || schedule.changeTick == Tick(.max) ? nil : change)
    schedule.start = continuation(at: now)
    schedule.run &+= 1
    jumps += flywheel.jumps
    flywheel = SlewedClock()
    (joinDue, wanted, offerHad) = (nil, nil, nil)
    inquire(at: now)
    emit(.tookOver(from: master))
    begin(at: now)
  }
}

extension PlaybackSchedule {
  /// `tempo` by the own clock, rather than the master's: the mean of a thousand quarters, so that a nanosecond counts.
  fileprivate func ownTempo(_ tempo: Tempo) -> Tempo {
    let count: Int64 = 1024
    let end = clock.second.local(at: clock.second.remote + Nanoseconds(tempo.nanosecondsPerQuarter * count))
    let length = ((end - clock.second.local).count + count / 2) / count
    let range = Tempo.lengths
    return Tempo(nanosecondsPerQuarter: min(max(length, range.lowerBound), range.upperBound)) ?? tempo
  }
}
