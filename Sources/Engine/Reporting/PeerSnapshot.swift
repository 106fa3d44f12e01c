public import Ensemble
public import MusicalTime
public import PeerProtocol
public import Playback
public import Rhythm
public import Scores

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
    /// The gates that the remote peer has opened, by the peer for which they are open: the local peer or another member. Peers for which
    /// the gates are not known are missing.
    public var takes: [Identity: GateSet] = [:]
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
  /// The largest number of ``players``.
  public static let maximumPlayers = 512
  /// The largest number of ``hosts``.
  public static let maximumHosts = 64

  /// The instant of the snapshot, in CLOCK_MONOTONIC.
  public var at: Instant
  /// The name of the local peer, as all peers show it (``Ensemble/EnsembleState/displayedName``).
  public var name: String
  /// The identity of the local peer.
  public var identity: Identity
  /// The MIDI channel of the local peer, 1...16; nil if it has none.
  public var channel: Int?
  /// The role of the local peer.
  public var role: Role
  /// The tempo of the rhythm. While the local peer is the master and plays by its external clock, this is the tempo of the external clock,
  /// because the tempo of the rhythm varies to correct errors.
  public var tempo: Tempo
  /// The bar, counted from one. While no rhythm plays, ``bar`` and ``beat`` are the position at which the rhythm would continue.
  public var bar: Int64
  /// The beat in the bar, counted from one.
  public var beat: Int64
  /// The number of clicks of the count-in that have begun to sound, from 1; nil if there is no count-in now.
  public var countInClicks: Int?
  /// The meter of the bar.
  public var meter: Meter
  /// The score that plays, or with which the rhythm would start; nil if there is none.
  public var score: ScoreStatus?
  /// The score on the music stands; nil if there is none.
  public var stand: Stand?
  /// The energy of the local player, 0...127.
  public var activity: UInt8
  /// The base value of the local player, to which its energy falls back after it has played; nil: it has set none.
  public var base: UInt8?
  /// The part of ``activity`` that the local player has because no player has set an activity yet (``EnsembleState/moderateTotal``).
  public var share: UInt8 = 0
  /// The total activity, 0...127.
  public var total: UInt8
  /// Whether the local player is muted, so that the notes of this player do not sound.
  public var isMuted: Bool
  /// The name of the instrument as the user has written it; nil if there is none.
  public var instrumentName: String?
  /// The number of sessions.
  public var sessions: Int
  /// The remote Tutti peers, the master first, at most ``maximumMembers``.
  public var members: [Member]
  /// The players of all peers: those of the local peer first, the local player at the beginning; at most ``maximumPlayers``.
  public var players: [PlayerStatus]
  /// The phrases of the pages of this peer.
  public var pagePhrases: [Identity: PhraseStatus]
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
  /// The peer that alone may control the rhythm now (`--led-by`); nil if the local peer may start it. If the local peer is the master, it only
  /// keeps the rhythm for this peer.
  public var leader: String?
  /// Whether an external MIDI clock controls the rhythm of this peer.
  public var hasExternalClock: Bool
  /// Whether the master offers its role to the local peer.
  public var isOffered: Bool
  /// Whether the local peer asks the master to offer it its role.
  public var asks: Bool
  /// How the local peer combines the activities of all peers while it is the master.
  public var totalActivityRule: TotalActivityRule
  /// The newest mix, which may apply only from a later tick on (``Ensemble/EnsembleState/latestMix``).
  public var mix: Mix
  /// The schedule of the rhythm. Its timelines are in the time of the master's clock. The results of its functions are local time.
  public var schedule: PlaybackSchedule
  /// The patch that plays from ``patchTick`` on.
  public var patch: Patch
  /// The name of ``patch`` for the player. For a received patch: the name in the patch and, in brackets, the name of the peer that has sent
  /// the patch.
  public var patchName: String
  /// The number of the patch. It increases with each change.
  public var patchNumber: UInt32
  /// The tick from which the steps of ``patch`` count: its first tick, unless it began before this peer entered.
  public var patchTick: Tick
  /// Whether the local peer has the rhythm that plays. If not, it is silent.
  public var hasRhythm: Bool
  /// The number of ticks of masters that did not arrive: see ``Ensemble/TickAccount/lost``.
  public var lostTicks: Int64
  /// How far in advance a change is announced.
  public var lead: Nanoseconds
  /// How long before its due time a step is passed to the sound.
  public var soundLead: Nanoseconds
  /// The phrases of the local player.
  public var phrases: PhraseStatus
  /// The files in which something is missing, because they could not be written.
  public var failedFiles: [PeerFile]

  /// The score and its position.
  public struct ScoreStatus: Hashable, Sendable {
    /// The name as the user has written it, or the title.
    public var name: String
    /// Whether the local peer has the score.
    public var isHere: Bool
    /// The printed number of the written bar; nil if it is not known.
    public var bar: String?
    /// The printed number of the last bar.
    public var lastBar: String
    /// How often the repeated section has begun, from 1.
    public var pass: Int
    /// Whether bars repeat until the leader ends it.
    public var isLoop: Bool
    /// Whether the rhythm plays beside the score.
    public var playsRhythm: Bool
  }

  /// What a music stand needs: the score that plays or with which the rhythm would start, and which bar sounds when.
  public struct Stand: Sendable {
    public var digest: DocumentDigest
    /// The name as the user has written it, or the title.
    public var name: String
    /// Nil if the score has not arrived at the local peer.
    public var score: Score?
    /// The level of each part of the score at the local peer, in percent.
    public var levels: [Int]
    /// The lines of the schedule with this score, each with the tick from which it applies: the line that plays, and the announced one. While
    /// no rhythm plays: the line of the next start.
    public var lines: [Line]

    public struct Line: Hashable, Sendable {
      public var tick: Tick
      public var line: ScoreLine
    }
  }

  /// Whether a rhythm plays at this peer.
  public var plays: Bool { role != .idle && schedule.run != 0 && hasRhythm }
  /// The mix that applies now; the standard mix while no rhythm plays.
  public var presentMix: Mix { role == .idle ? .standard : schedule.mix[schedule.tick(at: at)] }
}

extension Peer {
  /// The state at `now`.
  func snapshot(at now: Instant) -> PeerSnapshot {
    let members = ensemble.memberStatuses(limit: PeerSnapshot.maximumMembers, at: now)
    let hosts = surroundings.availableHosts(core)
    let players = ensemble.playerStatuses()
    let tick = ensemble.role == .idle ? Tick(of: ensemble.position) : ensemble.schedule.tick(at: now)
    let grid = ensemble.role == .idle ? ensemble.startGrid(at: tick) : ensemble.schedule.grid[tick]
    let (gridBar, beat) = grid.position(of: tick)
    let bar = scores.plan?.bar(at: tick).map { Int64($0.index) + 1 } ?? gridBar
    let leadingClock = core.clocks.leader(of: ensemble)?.clock
    return PeerSnapshot(
      at: now, name: ensemble.displayedName, identity: identity, channel: ensemble.channel?.number, role: ensemble.role,
      tempo: leadingClock?.tempo ?? (ensemble.role == .idle ? tempo.value : ensemble.tempo(at: now)), bar: bar,
      beat: beat, countInClicks: countInClicks(at: tick), meter: grid.meter, score: scores.status(in: core, at: tick),
      stand: scores.stand(in: core, at: tick),
      activity: ensemble.localEnergy, base: ensemble.heldActivity, share: ensemble.activityShare,
      total: ensemble.totalActivity(at: now),
      isMuted: ensemble.isMuted,
      instrumentName: instrument.name, sessions: core.roster.sessionCount,
      members: members.map { member in
        PeerSnapshot.Member(
          status: member, channel: ensemble.channel(of: member.identity)?.number,
          gates: ensemble.opening(for: member.identity), takes: ensemble.takes(of: member.identity),
          page: pageAddress(of: member.identity))
      },
      players: Array(players.prefix(PeerSnapshot.maximumPlayers)),
      pagePhrases: Dictionary(
        uniqueKeysWithValues: ensemble.localPlayers.compactMap { player in
          pages.phrases(of: player.identity).map { (player.identity, $0) }
        }),
      devices: max(0, core.roster.sessionCount - core.roster.identities.count),
      hosts: hosts?.first, furtherHosts: hosts?.further ?? 0, policy: policy.kind,
      hasContacts: surroundings.hasContacts,
      leader: ensemble.role == .master ? ensemble.keptFor : ensemble.sessionLeader(at: now),
      hasExternalClock: leadingClock != nil,
      isOffered: ensemble.isOffered(at: now), asks: ensemble.asksToLead,
      totalActivityRule: ensemble.totalActivityRule, mix: ensemble.latestMix,
      schedule: ensemble.schedule,
      patch: patch, patchName: patches.name, patchNumber: patches.number, patchTick: patches.tick,
      hasRhythm: patches.hasRhythm,
      lostTicks: core.account.lost, lead: ensemble.lead,
      soundLead: ensemble.soundLead, phrases: instrument.phrases.status,
      failedFiles: records.failures.all)
  }

  /// The number of clicks of the count-in that have begun to sound at `tick`, from 1; nil before and after the count-in, and if the rhythm
  /// was stopped during it.
  private func countInClicks(at tick: Tick) -> Int? {
    let schedule = ensemble.schedule
    guard tick >= schedule.countInStart, tick < schedule.start, schedule.start < schedule.end else { return nil }
    return Int((tick - schedule.countInStart) / Int64(schedule.countIn.ticksPerClick)) + 1
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
