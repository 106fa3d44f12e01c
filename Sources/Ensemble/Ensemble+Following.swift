import ClockSync
public import MusicalTime

// What other peers say and do.
extension Ensemble {
  /// The time between two corrections.
  static var steering: Nanoseconds { .milliseconds(50) }
  /// So many stamps that cannot be are worth a word.
  static var liesTold: Int { 8 }

  /// The peer with this identity is there: it hears the rhythm's state if there is one to tell. That it is there does
  /// not make it the master again: one that was started anew knows nothing of the rhythm. Its statement does.
  ///
  /// - Parameter name: what it calls itself.
  public mutating func joined(_ peer: Identity, named name: String? = nil, at now: Instant) {
    acquaintances[peer, default: Acquaintance()].heard = now
    acquaintances[peer]?.name = name
    // After the rhythm's state, of which the total is one of the ticks.
    defer { met(peer, named: name, at: now) }
    guard let statement, role == .master else { return }
    emit(.tell(statement, to: peer))
  }

  /// The peer with this identity is gone: its followers coast.
  public mutating func left(_ peer: Identity, at now: Instant) {
    parted(from: peer, at: now)
    guard role == .follower(of: peer) else {
      acquaintances[peer] = nil
      return
    }
    masterGone = masterGone ?? now
    // Its clock is remembered, as it may come back; but that of one at a time.
    if let departed, departed != peer { acquaintances[departed] = nil }
    departed = peer
  }

  /// A packet to or from another peer that told when it left.
  public mutating func measured(_ transit: ClockTransit, with peer: Identity, at now: Instant) {
    if departed == peer { departed = nil }
    acquaintances[peer, default: Acquaintance()].clock.add(transit, at: now)
    guard role == .follower(of: peer) else { return }
    if let clock = acquaintances[peer]?.clock {
      if clock.rejected >= Self.liesTold { doubt(peer, .clockLies) }
      if clock.resets > 0 { doubt(peer, .clockWasSet) }
      if clock.isSlewed { doubt(peer, .clockIsSlewed) }
    }
    if !planned || now >= steered + Self.steering { follow(at: now) }
  }

  /// A System Exclusive message from the peer with identity `sender`, its data octets without F0 and F7. What is not Tutti's
  /// is nobody's business here.
  public mutating func received(systemExclusive octets: [UInt8], from sender: Identity, at now: Instant) {
    if let statement = Statement(systemExclusive: octets) {
      received(statement, from: sender, at: now)
    } else if let presence = Presence(systemExclusive: octets) {
      received(presence, from: sender, at: now)
    } else if MessageKind.isOurs(octets) {
      rejected += 1
      doubt(sender, .isUnreadable)
    }
  }

  mutating func doubt(_ peer: Identity, _ misgiving: Misgiving) {
    if acquaintances[peer, default: Acquaintance()].told.insert(misgiving).inserted { emit(.doubt(peer, misgiving)) }
  }

  /// A statement from the peer with identity `sender`, which may speak for itself alone.
  public mutating func received(_ statement: Statement, from sender: Identity, at now: Instant) {
    guard statement.claim.identity == sender, sender != identity, isCredible(statement.claim.term) else {
      rejected += 1
      return
    }
    highestTerm = max(highestTerm, statement.claim.term)
    if let known = self.statement {
      if statement.claim == known.claim {
        masterGone = nil
        // Whoever has given the master up comes back by a statement it knows already, but never by an older one: that knows
        // nothing of the end.
        let isNews = statement.revision > known.revision
        guard isNews || (role == .idle && statement.revision == known.revision) else { return }
      } else if role != .idle, statement.claim < known.claim {
        // Whoever makes a lesser claim has not heard of this one.
        if role == .master { emit(.tell(known, to: sender)) }
        return
      }
    }
    if role == .master { emit(.outranked(by: sender)) }
    if statement.claim != self.statement?.claim {
      planned = false
      flywheel = SlewedClock()
      masterGone = nil
      wanted = nil
      repeats = []
    }
    self.statement = statement
    if role == .idle, let clock = acquaintances[sender]?.clock.estimate(at: now), statement.end != Tick(.max),
      statement.deadline(statement.end) - clock.offset <= now
    {
      return  // It is over already.
    }
    take(role: .follower(of: sender))
    follow(at: now)
  }

  /// Terms go up by one a start. One a million starts ahead is a lie, and would leave nobody a term above it.
  private func isCredible(_ term: UInt32) -> Bool { term < highestTerm || term - highestTerm <= 1 << 20 }

  /// Plays by the master's statement, its clock put beside the own. Nothing happens while that clock is not known well
  /// enough: who comes late is in phase at its first step.
  private mutating func follow(at now: Instant) {
    guard let statement, let clock = acquaintances[statement.claim.identity]?.clock, planned || clock.isSettled,
      let estimate = clock.estimate(at: now)
    else { return }
    let stepLength = Nanoseconds(statement.timeline.tempo.nanosecondsPerQuarter / Step.perQuarter)
    let sounds = planned && plan.deadline(plan.start) - soundLead <= now
    flywheel.steer(to: estimate, at: now, jump: sounds ? stepLength : nil)
    steered = now
    guard let mapping = flywheel.mapping else { return }
    var next = Plan(
      run: plan.run, sends: false, start: plan.start, end: statement.end, timeline: statement.timeline,
      change: statement.change, clock: mapping)
    next.intensity = intensity(goingOnIn: next, at: now)
    let (mine, theirs) = (plan.tick(at: now), next.tick(at: now))
    // More than a step off, it begins anew at the next step, rather than hurry through all that lies between.
    let isAstray = sounds && abs(mine - theirs) >= Tick.perStep
    if !planned || isAstray {
      // Two peers started at once, and this one lost: it goes on where it is, without a second downbeat.
      let plays = mine >= plan.start + -Tick.perQuarter && mine < plan.end
      next.continues = plan.run != 0 && plays && !isAstray && abs(mine - theirs) <= Tick.perQuarter
      next.start = entry(into: next, from: statement.start, at: next.continues ? now : now + soundLead)
      next.run &+= 1
      planned = true
    } else {
      next.continues = plan.continues
    }
    guard next != plan else { return }
    plan = next
    emit(.play(plan))
  }

  /// The first tick this peer plays of a rhythm it comes to: the next step not before `instant`.
  func entry(into plan: Plan, from start: Tick, at instant: Instant) -> Tick {
    let tick = plan.firstTick(notBefore: instant)
    return max(start, Tick(of: (tick + (Tick.perStep - 1)).step))
  }
}
