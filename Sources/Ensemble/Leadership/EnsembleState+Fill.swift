public import MusicalTime

// The fill that the player of the master wants, besides those that the rhythm plays by itself.
//
// The timeline message has the first tick of the bar of the fill, so the fill sounds in the same bar at all peers.
extension EnsembleState {
  /// Plays the fill of the rhythm in the first bar that is at least ``lead`` from now. If such a fill already plays, another one follows
  /// when it has ended. If one is already announced, nothing changes.
  ///
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func playFill(at now: Instant) throws(CommandError) {
    try requireMaster()
    leader!.wantsFill = timelineMessage!.fill == Tick(.max) || schedule.tick(at: now) >= timelineMessage!.fill
    settleFill(at: now)
  }

  /// Announces the fill that the player wants, unless there is none or an earlier one has not ended.
  mutating func settleFill(at now: Instant) {
    guard leader?.wantsFill == true, let message = timelineMessage, now >= fillEnd else { return }
    leader!.wantsFill = false
    let soonest = max(message.start, schedule.firstTick(notBefore: now + lead))
    timelineMessage!.fill = message.grid.line(notBefore: soonest)
    announce(at: now)
  }

  /// When ``settleFill(at:)`` must be called next; the distant future if no fill waits.
  var fillDeadline: Instant { leader?.wantsFill == true ? fillEnd : .distantFuture }

  /// The end of the bar of the last fill; the distant past if there was none.
  private var fillEnd: Instant {
    guard let fill = timelineMessage?.fill, fill != Tick(.max) else { return Instant(nanoseconds: .min) }
    return schedule.deadline(fill + schedule.grid[fill].meter.ticksPerBar)
  }
}
