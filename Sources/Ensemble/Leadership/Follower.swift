import ClockSync
import MusicalTime
import PeerProtocol

/// The data of a peer while it follows one claim of a master.
struct Follower: Sendable {
  /// What the local peer knows about the master's leadership.
  enum MasterStatus: Sendable {
    /// The master has reported that it leads the rhythm.
    case leads
    /// The session has ended or restarted. The master may have lost the rhythm, until it reports its claim again.
    case isUnknown
    /// The master reports that it is idle, or that it plays under another claim.
    case hasResigned
  }

  /// How the local peer plays the master's timeline.
  struct Playing: Sendable {
    /// The master's clock as the local peer plays by it. It slews, so that the position does not jump.
    var clock = SlewedClock()
    /// The largest error, up to a step, with which the rhythm can have been entered in phase; zero if it was entered exactly.
    /// The clock slews from there. If the tempo rises meanwhile, the same error can exceed a step, but must not cause a jump.
    var entryError = Nanoseconds.zero
    /// The last tick that was due in this run. The schedule may have gone back since: a late message about a slower tempo makes
    /// later ticks due again.
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
  /// The last instant at which the master was heard as the one that leads the rhythm.
  var masterHeard: Instant
  /// When the silence of the master is checked again, at the earliest.
  var nextCheck = Instant(nanoseconds: .min)
  /// When the clock was steered last.
  var steered = Instant(nanoseconds: .min)
  /// When the new rhythm is entered at a bar, because the rhythm that still sounds is too far off to slew towards it; nil if no
  /// entry is pending.
  var joinDue: Instant?
  /// Nil while the schedule does not contain the master's rhythm, because its clock is not known yet.
  var playing: Playing?
  /// The last offer from the master.
  var offer: ReceivedOffer?
  /// The totals that the master reports.
  var totals = ReceivedTotals()

  init(of master: Identity, at now: Instant) { (self.master, masterHeard) = (master, now) }
}
