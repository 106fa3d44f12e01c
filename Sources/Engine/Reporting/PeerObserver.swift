public import Ensemble
public import MusicalTime
public import PeerProtocol
import Playback

/// Passes events and snapshots of a peer to the caller of ``Peer/run(watchers:viewers:)``.
///
/// The roster (the remote peers in session) and the total activity are compared with the values that were reported last, ten times a second,
/// and the players four times a second.
/// A snapshot is due at once when the schedule, the role, the patch or the number of sessions has changed, otherwise ten times a second.
struct PeerObserver {
  private static var interval: Nanoseconds { .milliseconds(100) }

  /// The functions that get each event.
  private let watchers: [(PeerEvent) -> Void]
  /// The functions that get each snapshot.
  private let viewers: [(PeerSnapshot) -> Void]
  private var roster: [RosterEntry] = []
  private var total: UInt8?
  private var players: [PlayerStatus] = []
  private var nextPlayers = Instant(nanoseconds: .min)
  private var nextComparison = Instant(nanoseconds: .min)
  private var schedule = PlaybackSchedule.silence
  private var role = Role.idle
  private var patchNumber: UInt32 = 0
  private var sessions = 0
  private var nextSnapshot = Instant(nanoseconds: .min)

  init(watchers: [(PeerEvent) -> Void] = [], viewers: [(PeerSnapshot) -> Void] = []) {
    (self.watchers, self.viewers) = (watchers, viewers)
  }

  /// Whether events are observed.
  var watches: Bool { !watchers.isEmpty }

  /// Reports `event`, which is about the remote peer `peer`, if any.
  func report(
    _ event: Event, about peer: PeerReference? = nil, by player: Identity? = nil, on shaped: Identity? = nil,
    at now: Instant
  ) {
    for watch in watchers { watch(PeerEvent(kind: event, peer: peer, at: now, player: player, shaped: shaped)) }
  }

  /// Reports the roster and the total activity if they have changed.
  ///
  /// - Parameter entries: the roster. Evaluated only if a comparison is due.
  mutating func compare(_ entries: @autoclosure () -> [RosterEntry], in core: PeerCore, at now: Instant) {
    guard watches, now >= nextComparison else { return }
    nextComparison = now + Self.interval
    let (newRoster, newTotal) = (entries(), core.ensemble.totalActivity(at: now))
    if newRoster != roster {
      roster = newRoster
      report(.roster(newRoster), at: now)
    }
    // The energies change continually.
    if now >= nextPlayers, case let newPlayers = core.ensemble.playerStatuses(), newPlayers != players {
      (players, nextPlayers) = (newPlayers, now + .milliseconds(250))
      report(.players(newPlayers), at: now)
    }
    if newTotal != total {
      total = newTotal
      report(.total(newTotal), at: now)
    }
  }

  /// Passes a snapshot to the observer if one is due.
  ///
  /// - Parameter snapshot: the state of the peer. Evaluated only if it is due.
  mutating func show(
    _ snapshot: @autoclosure () -> PeerSnapshot, of core: PeerCore, patchNumber: UInt32, at now: Instant
  ) {
    guard !viewers.isEmpty else { return }
    let (schedule, role, sessions) = (core.ensemble.schedule, core.ensemble.role, core.roster.sessionCount)
    guard
      now >= nextSnapshot || schedule != self.schedule || role != self.role || patchNumber != self.patchNumber
        || sessions != self.sessions
    else { return }
    (self.schedule, self.role, self.patchNumber, self.sessions) = (schedule, role, patchNumber, sessions)
    nextSnapshot = now + Self.interval
    let snapshot = snapshot()
    for show in viewers { show(snapshot) }
  }
}

/// An event that the local peer reports to the observer of ``Peer/run(watchers:viewers:)``.
public struct PeerEvent: Sendable {
  public let kind: Event
  /// The remote peer that the event concerns; nil if it concerns none.
  public let peer: PeerReference?
  /// The instant of the event, in CLOCK_MONOTONIC.
  public let at: Instant
  /// Of a message that has sounded: the player who has played it, and the player of the local peer on whose channel it sounds.
  public var player: Identity?
  public var shaped: Identity?
}
