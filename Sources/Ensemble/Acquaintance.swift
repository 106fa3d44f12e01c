import ClockSync
import MusicalTime
import PeerProtocol

/// Another peer in session, as far as its clock and its word go.
struct Acquaintance: Sendable {
  var clock = RemoteClock()
  /// What it calls itself.
  var name: String?
  /// When anything came from it last; nil while it is not in session.
  var heard: Instant?
  /// What it said of itself last.
  var presence: Presence?
  /// When it was last told the rhythm's state because it did not know it.
  var corrected: Instant?
  /// What the player has been told of it already.
  var told: Set<PeerWarning> = []

  /// Something has come from it. Returns when something had before, and what it said of itself last; nil while it is not in
  /// session.
  mutating func hear(at now: Instant) -> (last: Instant, presence: Presence?)? {
    guard let last = heard else { return nil }
    heard = now
    return (last, presence)
  }

  /// It says what it is. Returns in which rhythm it said before that it takes part.
  mutating func hear(_ presence: Presence) -> Claim? {
    defer { self.presence = presence }
    return self.presence?.claim
  }

  // Mutating, as of a dictionary's value any other function is given a copy, and all that is known is much.
  /// What is known of its clock; nil, where it must be settled, until enough is known to begin to play by it.
  mutating func estimate(at now: Instant, mustBeSettled: Bool) -> ClockEstimate? {
    mustBeSettled && !clock.isSettled ? nil : clock.estimate(at: now)
  }

  /// A packet told of its clock. Returns what is wrong with that.
  mutating func learn(_ transit: ClockTransit, at now: Instant) -> [PeerWarning] {
    clock.add(transit, at: now)
    var warnings: [PeerWarning] = []
    if clock.rejected >= Ensemble.liesTold { warnings.append(.clockLies) }
    if clock.resets > 0 { warnings.append(.clockWasSet) }
    if clock.isSlewed { warnings.append(.clockIsSlewed) }
    return warnings
  }

  /// Whether it is in session and not silent.
  func isThere(at now: Instant) -> Bool { heard.map { now - $0 < Ensemble.silence } ?? false }
}

/// What is wrong with another peer. The rhythm goes on; the player is told once.
public enum PeerWarning: Hashable, Sendable {
  /// Its stamps cannot be: packets came before they left. They are not used.
  case clockLies
  /// Its clock was set, or goes otherwise than before.
  case clockWasSet
  /// Its clock and the own one part faster than crystals do, so one of the two is being put right by its system.
  case clockIsSlewed
  /// It says what cannot be understood: a tempo out of range, a version that is not known here.
  case isUnreadable
  /// It changes its MIDI channel all the time. Its claims to one are not heeded until it has been still for ten seconds.
  case isRestless
}
