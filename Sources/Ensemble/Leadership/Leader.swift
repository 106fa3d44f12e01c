import MusicalTime
import PeerProtocol

/// The data of a peer while it is the master.
struct Leader: Sendable {
  /// An offer of the rhythm to other peers.
  struct SentOffer: Sendable {
    var offer: Offer
    /// A receiver that leaves and returns can still take the offer, so a departure does not remove it from this list.
    var receivers: [Identity]
    /// When the offer is sent again.
    var repeats: Repeats
  }

  /// The tempo that the player requested while another change was pending.
  var requestedTempo: Tempo?
  /// The gradual change of the tempo that is in progress.
  var ramp: TempoRamp?
  /// The mix that the player requested while another change was pending, and whether it applies at once and not at a bar.
  var requestedMix: (mix: Mix, isImmediate: Bool)?
  /// The peers that are muted. The next master mutes nobody.
  var muted: Set<Identity> = []
  /// When the newest timeline message is sent again.
  var repeats = Repeats()
  /// The last offer.
  var offer: SentOffer?
  /// The decisions about the total activity.
  var totals = TotalSchedule()
}
