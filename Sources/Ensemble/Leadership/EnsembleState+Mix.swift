public import MusicalTime
public import PeerProtocol
import Playback

// The mix: the balance of the parts, which the master sets for all peers.
//
// Like a change of the tempo, a change of the mix is sent in the timeline message, and applies on the same tick at all peers. The
// message has room for one change of the mix. While a change is pending, a new request replaces it if the tick of the change is
// at least the lead time away. Otherwise, the request waits until the change has applied.
extension EnsembleState {
  /// The newest mix: the mix that the player has requested as the master, otherwise the mix that was announced last.
  public var latestMix: Mix {
    leader?.requestedMix?.mix ?? timelineMessage?.mix.next ?? .standard
  }

  /// Changes the mix.
  ///
  /// - Parameter isImmediate: whether the change applies at the first step that is at least ``lead`` from now. If false, the change applies
  ///   at the first bar that is at least ``lead`` from now.
  /// - Throws: ``CommandError`` unless the local peer is the master.
  public mutating func change(mix: Mix, isImmediate: Bool = false, at now: Instant) throws(CommandError) {
    try requireMaster()
    leader!.requestedMix = (mix, isImmediate || leader!.requestedMix?.isImmediate == true)
    settleMix(at: now)
  }

  /// If the tick of the pending change has passed, makes its mix the present mix. Then announces the requested mix, unless
  /// there is none or it must wait.
  mutating func settleMix(at now: Instant) {
    let message = timelineMessage!
    timelineMessage!.mix.settle(at: schedule.tick(at: now))
    guard let request = leader?.requestedMix else { return }
    let soonest = max(message.start + -message.countIn.ticks, schedule.firstTick(notBefore: now + lead).roundedUpToStep)
    var tick = request.isImmediate ? soonest : message.grid.line(notBefore: soonest)
    if timelineMessage!.mix.isChanging {
      let pending = timelineMessage!.mix.tick
      guard pending >= soonest else { return }
      // The requested mix is based on ``latestMix`` and thus contains the pending change, which must not be delayed.
      tick = min(tick, pending)
    }
    leader!.requestedMix = nil
    timelineMessage!.mix = ChangingValue(timelineMessage!.mix.value, next: request.mix, from: tick)
    announce(at: now)
  }
}
