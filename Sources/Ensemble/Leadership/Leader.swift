import MusicalTime
import PeerProtocol

/// The data of a peer while it is the master.
struct Leader: Sendable {
  /// An offer of the rhythm to other peers.
  struct SentOffer: Sendable {
    var offer: Offer
    /// The peers to which the offer was sent. A receiver that leaves stays in this list, because it can return and take the offer.
    var receivers: [Identity]
    /// When the offer is sent again.
    var repeats: Repeats
  }

  /// A requested change of the rhythm.
  struct RhythmRequest: Sendable {
    var choice: RhythmChoice
    /// Until when the change waits for the other peers: one bar after the request.
    var end: Instant
  }

  /// The instant since which the local peer is the master; set by ``EnsembleState/lead(_:at:)``.
  var since = Instant.distantFuture
  /// Whether the local peer has taken over the rhythm of another master.
  var hasTakenOver = false
  /// The gradual change of the tempo that is in progress.
  var ramp: TempoRamp?
  /// The mix that the player requested while another change was pending, and whether it applies at the first possible step instead
  /// of the next bar.
  var requestedMix: (mix: Mix, isImmediate: Bool)?
  /// Whether the player wants the fill in the next bar, and an earlier fill has not ended yet.
  var wantsFill = false
  /// The change of the rhythm that the player requested and that is not announced yet; nil if there is none.
  var rhythmRequest: RhythmRequest?
  /// The peers that were not ready for the last change in time. The next change does not wait for them, until they have been ready once.
  var latePeers: Set<Identity> = []
  /// The peers of which the player knows that they do not play the rhythm, with the digest of this rhythm.
  var silentPeers: [Identity: DocumentDigest] = [:]
  /// The peers whose players the local peer has muted. The next master does not take over this list.
  var muted: Set<Identity> = []
  /// The score.
  var score = LedScore()
  /// When the newest timeline message is sent again.
  var repeats = Repeats()
  /// The last offer.
  var offer: SentOffer?
  /// The decisions about the total activity.
  var totals: TotalSchedule
}
