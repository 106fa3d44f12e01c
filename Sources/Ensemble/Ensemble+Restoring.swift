public import MusicalTime

// A master that was killed and is back.
extension Ensemble {
  /// What a master has to save, before others hear of it, to ``resume(_:at:)`` when it was started anew; nil while this peer
  /// is not the master.
  public var resumable: Statement? { role == .master ? statement : nil }

  /// Goes on with the rhythm this peer was master of before it was started anew, in phase, under the old claim: to the
  /// others that have not moved on it is the same master.
  ///
  /// - Parameter statement: what was ``resumable``, of the same run of the clock.
  /// - Throws: ``Refusal`` when a higher term has been seen, the rhythm has ended meanwhile, somebody plays, or another
  ///   leads the session.
  public mutating func resume(_ statement: Statement, at now: Instant) throws(Refusal) {
    try requireIdle(at: now)
    guard statement.claim.identity == identity, statement.claim.term >= highestTerm else { throw .isOver }
    var resumed = Plan(
      run: plan.run &+ 1, sends: true, start: statement.start, end: statement.end, timeline: statement.timeline,
      change: statement.change, intensity: Intensity(activity))
    resumed.start = entry(into: resumed, from: statement.start, at: now + soundLead)
    guard resumed.start < resumed.end else { throw .nothingPlays }
    highestTerm = statement.claim.term
    self.statement = statement
    plan = resumed
    begin(at: now)
    settleTempo(at: now)
  }
}
