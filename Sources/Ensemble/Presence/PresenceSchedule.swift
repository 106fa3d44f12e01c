import MIDI
import MusicalTime
import PeerProtocol

/// The state from which the local peer decides when it sends its presence to all members. A presence (``Presence``) is the message
/// in which a peer reports its state. A member is a Tutti peer in session.
struct PresenceSchedule: Sendable {
  /// The part of a presence that is the same for all receivers.
  struct Report: Hashable, Sendable {
    var claim: Claim?
    var channel: Channel?
    var gates: Gates
    var takesOver: Bool
    var patch: PatchDigest?
    var page: PageReport
  }

  /// The shortest time between two presences to one peer.
  static var pause: Nanoseconds { .milliseconds(50) }

  /// The report that was last sent to all members; nil if it was not sent to every member.
  var lastReport: Report?
  /// When the last presence was sent to all members.
  var lastSent = Instant(nanoseconds: .min)
}
