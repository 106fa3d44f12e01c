public import MusicalTime
public import PeerProtocol
import Playback

// Restoring a master after a crash.
extension EnsembleState {
  /// The data for ``resume(_:at:)``; nil unless the local peer is the master. When a new rhythm begins, the engine saves the
  /// data at once.
  public var resumable: TimelineMessage? { role == .master ? timelineMessage : nil }

  /// Whether a member still plays the rhythm with this claim.
  public func isFollowed(_ claim: Claim, at now: Instant) -> Bool {
    roster.members.contains {
      roster[$0.slot].isPresent(at: now) && roster[$0.slot].membership?.presence?.claim == claim
    }
  }

  /// Continues the rhythm of which the local peer was the master before it restarted, in phase and under the old claim. Peers that
  /// have not followed another claim in the meantime notice no change.
  ///
  /// - Parameter timelineMessage: the value of ``resumable``, from the same boot of the machine.
  /// - Throws: ``CommandError`` if the claim has another identity than the local peer, if the rhythm has ended, if a later rhythm has ended
  ///   since, if a rhythm plays, or if another peer leads the session.
  public mutating func resume(_ timelineMessage: TimelineMessage, at now: Instant) throws(CommandError) {
    try requireIdle(at: now)
    // A later run that has ended was perhaps a continuation of this one under another master.
    guard timelineMessage.claim.identity == identity, lastRun.map({ $0.term <= timelineMessage.claim.term }) ?? true
    else { throw .isOver }
    var resumed = SoundingRun(timelineMessage, number: nextRunNumber, sends: true)
    resumed.entry = entry(into: resumed.schedule, from: timelineMessage.start, at: now + soundLead)
    guard resumed.entry < timelineMessage.end else { throw .nothingPlays }
    ownTerm = max(ownTerm, timelineMessage.claim.term)
    self.timelineMessage = timelineMessage
    lead(Leader(totals: continuedTotals(of: resumed.schedule, at: now)), playing: resumed, at: now)
    planScore(at: now)
    settleTempo(at: now)
    settleMix(at: now)
    if rhythm.digest != timelineMessage.rhythm.next.digest { requestRhythm(at: now) }
  }
}
