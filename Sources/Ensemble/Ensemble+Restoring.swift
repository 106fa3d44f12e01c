public import MusicalTime
public import PeerProtocol
import Playback

// A master that was killed and is back.
extension Ensemble {
  /// What a master has to save, before others hear of it, to ``resume(_:at:)`` when it was started anew; nil while this peer
  /// is not the master.
  public var resumable: TimelineMessage? { role == .master ? timelineMessage : nil }

  /// Goes on with the rhythm this peer was master of before it was started anew, in phase, under the old claim: to the
  /// others that have not moved on it is the same master.
  ///
  /// - Parameter timeline message: what was ``resumable``, of the same run of the clock.
  /// - Throws: ``CommandError`` when a higher term has been seen, the rhythm has ended meanwhile, somebody plays, or another
  ///   leads the session.
  public mutating func resume(_ timelineMessage: TimelineMessage, at now: Instant) throws(CommandError) {
    try requireIdle(at: now)
    guard timelineMessage.claim.identity == identity, timelineMessage.claim.term >= highestTerm else { throw .isOver }
    var resumed = PlaybackSchedule(
      run: schedule.run &+ 1, sends: true, start: timelineMessage.start, end: timelineMessage.end,
      timeline: timelineMessage.timeline,
      change: timelineMessage.change, intensity: Intensity(activity))
    resumed.start = entry(into: resumed, from: timelineMessage.start, at: now + soundLead)
    guard resumed.start < resumed.end else { throw .nothingPlays }
    highestTerm = timelineMessage.claim.term
    self.timelineMessage = timelineMessage
    schedule = resumed
    begin(at: now)
    settleTempo(at: now)
  }
}
