import ClockSync
import MusicalTime
import PeerProtocol

/// The data of a peer while it follows one claim of a master.
struct Follower: Sendable {
  /// What the local peer knows about the master's leadership.
  enum MasterStatus: Sendable {
    /// The master has reported that it leads the rhythm.
    case leads
    /// The session with the master has ended or is new. The master may have lost the rhythm. Its next report shows whether it leads
    /// the rhythm.
    case isUnknown
    /// The master reports that it is idle, or that it plays under another claim.
    case hasResigned
  }

  /// How the local peer plays the master's timeline.
  struct Playing: Sendable {
    /// The master's clock as the local peer plays by it. It slews, so that the position does not jump.
    var clock = SlewedClock()
    /// The largest possible error of the position when the local peer entered this rhythm. The value is zero if the rhythm was
    /// entered exactly in phase. If another rhythm already sounded and continued without a jump, the position could be up to a step
    /// off, so the value is the length of a step at the tempo of the entry. After the entry, the clock slews until the error is gone.
    /// An error of more than a step normally causes a jump. An error up to this value causes none, even if the tempo has risen and a
    /// step has become shorter than this value.
    var entryError = Nanoseconds.zero
    /// The last tick that was due in this run. A later schedule can have an earlier position: when a message about a slower tempo
    /// arrives late, ticks that were already due become due again.
    var lastDue = Tick(.min)
  }

  /// An offer of the rhythm from the master.
  struct ReceivedOffer: Sendable {
    var claim: Claim
    /// When the offer expires.
    var end: Instant
  }

  /// The master that the local peer follows.
  let master: Identity
  var masterStatus = MasterStatus.leads
  /// The last instant at which a packet from the master arrived while its status was ``MasterStatus/leads``.
  var masterHeard: Instant
  /// When the silence of the master is checked again, at the earliest.
  var nextCheck = Instant(nanoseconds: .min)
  /// When the slewed clock (``Playing/clock``) was last steered to the estimate of the master's clock.
  var lastSteered = Instant(nanoseconds: .min)
  /// The instant at which ``EnsembleState/follow(at:)`` is called to enter the new rhythm at a bar; nil if no entry is pending. The peer
  /// waits for a bar if the position of the rhythm that still sounds differs too much for slewing.
  var joinDue: Instant?
  /// How the local peer plays the master's timeline; nil while the schedule does not contain the master's rhythm, because the
  /// master's clock is not known or an entry is pending.
  var playing: Playing?
  /// The last offer from the master.
  var offer: ReceivedOffer?
  /// When the request of the local player that the master offers the rhythm ends; nil if there is no request.
  var leadRequestEnd: Instant?
  /// The local player's level that was last sent to the master, and the claim under which it was sent; nil if no level was sent.
  var sentLevel: (level: UInt8, claim: Claim)?

  init(of master: Identity, at now: Instant) { (self.master, masterHeard) = (master, now) }
}
