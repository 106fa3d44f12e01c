public import Ensemble
public import MusicalTime
public import PeerProtocol
public import Playback
public import Rhythm

/// The complete state of a running peer at one instant, for another thread that shows it.
public struct PeerSnapshot: Sendable {
  /// A remote Tutti peer in session.
  public struct Member: Sendable {
    /// The name, role, activity and clock of the remote peer.
    public var status: MemberStatus
    /// The MIDI channel of the remote peer, 1...16; nil if it has none.
    public var channel: Int?
    /// The gates of the local peer that are open for the remote peer.
    public var gates: GateSet
    /// The address of the web page of the remote peer, as in a URL: `192.168.1.20:8080`. Nil if it announces no page.
    public var page: String?
  }

  /// The largest number of ``members``.
  public static let maximumMembers = 64

  /// The instant of the snapshot, in CLOCK_MONOTONIC.
  public var at: Instant
  /// The name of the local peer.
  public var name: String
  /// The identity of the local peer.
  public var identity: Identity
  /// The MIDI channel of the local peer, 1...16; nil if it has none.
  public var channel: Int?
  /// Role, tempo, activity and names.
  public var status: PeerStatus
  /// The remote Tutti peers, the master first, at most ``maximumMembers``.
  public var members: [Member]
  /// The number of RTP-MIDI devices without Tutti in session.
  public var devices: Int
  /// Whether another peer leads the session, so that the local peer may not start the rhythm.
  public var hasRemoteLeader: Bool
  /// Whether an external MIDI clock controls the rhythm of this peer.
  public var hasExternalClock: Bool
  /// Whether the master offers its role to the local peer.
  public var isOffered: Bool
  /// How the master combines the activities of all peers. It applies while the local peer is the master.
  public var totalActivityRule: TotalActivityRule
  /// The balance of the parts that was announced last.
  public var mix: Mix
  /// The schedule of the rhythm. Its timelines are in the time of the master's clock. The results of its functions are local time.
  public var schedule: PlaybackSchedule
  /// The patch that plays from ``patchTick`` on.
  public var patch: Patch
  /// The number of the patch. It increases with each change.
  public var patchNumber: UInt32
  /// The first tick of ``patch``; any tick if no rhythm plays.
  public var patchTick: Tick
  /// The number of ticks of masters that did not arrive: see ``Ensemble/TickAccount/lost``.
  public var lostTicks: Int64
  /// How far in advance a change is announced.
  public var lead: Nanoseconds
  /// How long before its due time a step is passed to the sound.
  public var soundLead: Nanoseconds
  /// The phrases of the local player.
  public var phrases: PhraseStatus

  /// Whether a rhythm plays.
  public var plays: Bool { status.role != .idle && schedule.run != 0 }
}

extension Peer {
  /// Passes a snapshot to the observer if one is due.
  func reportSnapshot(at now: Instant) {
    let sessions = core.roster.sessionCount
    guard
      snapshotObserver?.isDue(
        schedule: ensemble.schedule, role: ensemble.role, patchNumber: patchChange.number, sessions: sessions, at: now)
        == true
    else { return }
    snapshotObserver?.report(snapshot(at: now), sessions: sessions)
  }

  /// The state at `now`.
  func snapshot(at now: Instant) -> PeerSnapshot {
    let members = ensemble.memberStatuses(limit: PeerSnapshot.maximumMembers, at: now)
    return PeerSnapshot(
      at: now, name: configuration.name, identity: identity, channel: ensemble.channel?.number, status: status,
      members: members.map { member in
        PeerSnapshot.Member(
          status: member, channel: ensemble.channel(of: member.identity)?.number,
          gates: ensemble.gates.opening(for: member.identity, named: member.name),
          page: pageAddress(of: member.identity))
      },
      devices: max(0, core.roster.sessionCount - core.roster.identities.count),
      hasRemoteLeader: ensemble.gates.haveRemoteLeader,
      hasExternalClock: externalClock?.leads(ensemble) == true,
      isOffered: ensemble.isOffered(at: now), totalActivityRule: ensemble.totalActivityRule, mix: ensemble.latestMix,
      schedule: ensemble.schedule,
      patch: patch, patchNumber: patchChange.number, patchTick: patchChange.tick,
      lostTicks: core.account.lost, lead: ensemble.lead,
      soundLead: ensemble.soundLead, phrases: phrases.status)
  }
}
