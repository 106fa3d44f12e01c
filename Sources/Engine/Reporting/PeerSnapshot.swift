public import Ensemble
public import MusicalTime
public import PeerProtocol
public import Playback
public import Rhythm

/// The complete state of a running peer at one instant, for another thread that shows it.
///
/// Real-time: not safe.
public struct PeerSnapshot: Sendable {
  /// A remote Tutti peer in session.
  public struct Member: Sendable {
    /// The name, role, activity and clock of the remote peer.
    public var status: MemberStatus
    /// The MIDI channel of the remote peer, 1...16; nil if it has none.
    public var channel: Int?
    /// The gates of the local peer that are open for the remote peer.
    public var gates: GateSet
    /// The address of the web page of the remote peer, as in a URL: `192.168.1.20:8080`. Nil if it reports no page.
    public var page: String?
  }

  /// A service that discovery has found on the network and that is not in session.
  public struct Host: Hashable, Sendable, Encodable {
    /// The service name, which contains only printable characters. No two hosts of a snapshot have the same name.
    public var name: String
    /// Whether the host is a Tutti peer. Otherwise it is another RTP-MIDI device.
    public var isTuttiPeer: Bool
    /// Whether the local peer invites the host.
    public var isInvited: Bool
  }

  /// The largest number of ``members``.
  public static let maximumMembers = 64
  /// The largest number of ``hosts``.
  public static let maximumHosts = 64

  /// The instant of the snapshot, in CLOCK_MONOTONIC.
  public var at: Instant
  /// The name of the local peer.
  public var name: String
  /// The identity of the local peer.
  public var identity: Identity
  /// The MIDI channel of the local peer, 1...16; nil if it has none.
  public var channel: Int?
  /// The role, tempo, position, activity and names, as for a status display.
  public var status: PeerStatus
  /// The remote Tutti peers, the master first, at most ``maximumMembers``.
  public var members: [Member]
  /// The number of RTP-MIDI devices without Tutti in session.
  public var devices: Int
  /// The services on the network that are not in session, sorted by name, at most ``maximumHosts``. Nil if discovery is off.
  public var hosts: [Host]?
  /// The number of further services that are not in session.
  public var furtherHosts: Int
  /// The connection policy.
  public var policy: ConnectionPolicy.Kind
  /// Whether a contact file was read, so that the policy `contacts` can be chosen.
  public var hasContacts: Bool
  /// Whether only another peer may control the rhythm (`--led-by`), so that the local peer may not start it.
  public var hasRemoteLeader: Bool
  /// Whether an external MIDI clock controls the rhythm of this peer.
  public var hasExternalClock: Bool
  /// Whether the master offers its role to the local peer.
  public var isOffered: Bool
  /// How the local peer combines the activities of all peers while it is the master.
  public var totalActivityRule: TotalActivityRule
  /// The newest mix, which may apply only from a later tick on (``Ensemble/EnsembleState/latestMix``).
  public var mix: Mix
  /// The schedule of the rhythm. Its timelines are in the time of the master's clock. The results of its functions are local time.
  public var schedule: PlaybackSchedule
  /// The patch that plays from ``patchTick`` on.
  public var patch: Patch
  /// The number of the patch. It increases with each change.
  public var patchNumber: UInt32
  /// The first tick of ``patch``. Meaningless if no rhythm plays.
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
  /// The state at `now`.
  func snapshot(at now: Instant) -> PeerSnapshot {
    let members = ensemble.memberStatuses(limit: PeerSnapshot.maximumMembers, at: now)
    let hosts = surroundings.availableHosts(core)
    return PeerSnapshot(
      at: now, name: configuration.name, identity: identity, channel: ensemble.channel?.number, status: status(at: now),
      members: members.map { member in
        PeerSnapshot.Member(
          status: member, channel: ensemble.channel(of: member.identity)?.number,
          gates: ensemble.gates.opening(for: member.identity, named: member.name),
          page: pageAddress(of: member.identity))
      },
      devices: max(0, core.roster.sessionCount - core.roster.identities.count),
      hosts: hosts?.first, furtherHosts: hosts?.further ?? 0, policy: policy.kind,
      hasContacts: surroundings.hasContacts,
      hasRemoteLeader: ensemble.gates.haveRemoteLeader,
      hasExternalClock: externalClock?.leads(ensemble) == true,
      isOffered: ensemble.isOffered(at: now), totalActivityRule: ensemble.totalActivityRule, mix: ensemble.latestMix,
      schedule: ensemble.schedule,
      patch: patch, patchNumber: patches.number, patchTick: patches.tick,
      lostTicks: core.account.lost, lead: ensemble.lead,
      soundLead: ensemble.soundLead, phrases: instrument.phrases.status)
  }

  /// The address of the web page of a remote peer, as in a URL: `192.168.1.20:8080`. When this peer disappears, a browser that shows its
  /// page connects to such an address. Nil if the peer reports no page or is not in session, or if the address is not usable by other
  /// machines.
  ///
  /// The peer reports only the port. The host is taken from the address of the session. If the group has a passkey, only peers of the group
  /// can report a port. A page therefore sends its join token only to peers of the group.
  private func pageAddress(of identity: Identity) -> String? {
    guard let port = core.roster.pagePort(of: identity), var address = core.roster[identity]?.reference.address,
      // A link-local IPv6 address needs the name of an interface, which a URL cannot contain.
      !address.isLoopback, !address.isIPv6 || !address.isLinkLocal
    else { return nil }
    address.port = port
    return address.description
  }
}
