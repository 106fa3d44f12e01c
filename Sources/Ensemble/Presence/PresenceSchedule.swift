import MIDI
import MusicalTime
import PeerProtocol

/// The state from which the local peer decides when it sends its presence to all members. A presence (``Presence``) is the message
/// in which a peer reports its state. A member is a Tutti peer in session.
struct PresenceSchedule: Sendable {
  /// The part of the presence whose changes are sent at once. It does not contain the activity. Instead of the gates that are open for
  /// one receiver, it contains the gates of all receivers.
  struct Report: Hashable, Sendable {
    var claim: Claim?
    var channel: Channel?
    var gates: Gates
    var takesOver: Bool
    var asksToLead: Bool
    var hasSetActivity: Bool
    var list: DocumentDigest
    var rhythm: DocumentDigest?
    var answer: RhythmAnswer
    var score: DocumentDigest?
    var page: PageReport
    var lastRun: LastRun?
  }

  /// The shortest time between two presences to one peer.
  static var pause: Nanoseconds { .milliseconds(50) }

  /// The report that was last sent to all members; nil if a member has not received it, or if the local peer has muted or unmuted a
  /// player since.
  var lastReport: Report?
  /// When the local peer last sent its presence to all members.
  var lastSent = Instant(nanoseconds: .min)
  /// The member whose gates the presences report.
  var rotation = GateRotation()
  /// The number of the last presence.
  private var number: UInt64 = 0

  /// When the presence is sent next if nothing changes. The time differs by up to an eighth from `interval`. With equal intervals, a presence
  /// could leave together with a tick again and again, be overtaken by it each time, and then not be used.
  func next(after interval: Nanoseconds) -> Instant {
    let quarter = UInt64(interval.count / 4)
    return lastSent + Nanoseconds(interval.count / 8 * 7 + Int64(lastSent.mixed() % quarter))
  }

  /// Returns the number of the next presence: the present instant, but more than the last number.
  mutating func nextNumber(at now: Instant) -> UInt64 {
    number = max(number + 1, UInt64(max(now.nanoseconds, 0)))
    return number
  }
}
