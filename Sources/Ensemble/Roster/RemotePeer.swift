import ClockSync
import MIDI
import MusicalTime
public import PeerProtocol
public import RTPMIDI
import Receiving
public import Sending

/// Everything that the local peer knows about one remote peer: a row of the ``Roster``.
///
/// A row exists while the peer is in session. The row of a master that has left remains, without ``session`` and
/// ``membership``, because the followers still play by its clock. A peer with a ``membership`` is called a member. A member without a session is
/// heard through another member (``relay``).
///
/// Real-time: not safe.
public struct RemotePeer: Sendable {
  /// Nil for a standard device, and for a peer that is not recognised yet.
  public internal(set) var identity: Identity?
  /// The name that the peer reports; nil if it reports none.
  public internal(set) var name: String?
  /// The name by which the user sees the peer if several peers have the same name: the name and four digits of the identity.
  var distinctName: String?
  /// The AppleMIDI session with the peer.
  public internal(set) var session: Session?
  /// The state of a Tutti peer in session; nil for a standard device, and for a peer that is not recognised yet or has left.
  var membership: Membership?
  /// How the local peer hears a member without a session; nil for all others.
  var relay: Relay?
  /// The estimate of the peer's clock.
  var clock = RemoteClock()
  /// The 99th percentile of the delay of packets to the peer.
  var delay = DelayPercentile()
  /// The warnings about the peer that were reported to the player.
  var reportedWarnings: Set<PeerWarning> = []
  /// When the local peer last sent its timeline message to this peer alone, because the peer did not know it; nil if never.
  var timelineMessageResent: Instant?

  /// A row without a peer.
  init() {}

  /// The peer as the user knows it. A peer that reports no name gets a name from its address or, without a session, from its identity.
  public var reference: PeerReference {
    let address = session?.info.control
    return PeerReference(
      name: distinctName ?? session?.info.name ?? name ?? PeerReference.substitute(address, identity), address: address,
      identity: identity)
  }

  /// Whether the peer is known to be a device without Tutti, and is in session.
  public var isStandardDevice: Bool { session?.kind == .standardDevice }

  /// Whether the peer is a member, and was heard within ``EnsembleState/silence``.
  func isPresent(at now: Instant) -> Bool {
    guard let heard = membership?.lastHeard else { return false }
    return now - heard < EnsembleState.silence
  }

  // The function is mutating, because a non-mutating function would copy this large value to call ``RemoteClock/estimate(at:)``.
  /// Returns the estimate of the peer's clock; nil if it is not precise enough to play by it.
  mutating func estimate(at now: Instant) -> ClockEstimate? { clock.isSettled ? clock.estimate(at: now) : nil }

  /// Adds a measurement of the peer's clock.
  ///
  /// - Returns: the problems that the clock has shown so far.
  mutating func add(_ transit: ClockTransit, at now: Instant) -> [PeerWarning] {
    clock.add(transit, at: now)
    var warnings: [PeerWarning] = []
    if clock.rejected >= EnsembleState.rejectedStampsForWarning { warnings.append(.implausibleStamps) }
    if clock.resets > 0 { warnings.append(.clockStepped) }
    if clock.isSlewed { warnings.append(.clockIsSlewed) }
    return warnings
  }

  /// Updates ``delay`` with a measurement that was added to ``clock``.
  ///
  /// - Returns: the offset of the peer's clock, if the offset must be reported to the receiving half (module Receiving): no offset was
  ///   reported yet, or the offset differs from the last reported offset by more than `offsetTolerance`. Otherwise nil. Also nil if the
  ///   peer has no session or no identity, or if the estimate of its clock is not precise enough.
  mutating func updateTiming(_ transit: ClockTransit, at now: Instant) -> Nanoseconds? {
    guard session != nil, identity != nil, clock.isSettled, let offset = clock.offset(at: now) else { return nil }
    if transit.direction == .out { delay.add(transit.difference - offset) }
    if let reported = session!.reportedOffset, abs((offset - reported).count) <= Self.offsetTolerance { return nil }
    session!.reportedOffset = offset
    return offset
  }

  /// The largest change of an offset that is not reported to the receiving half, in nanoseconds: half the resolution of the time stamps of
  /// messages.
  private static let offsetTolerance: Int64 = 50_000
}

extension RemotePeer {
  /// The AppleMIDI session with a remote peer.
  public struct Session: Sendable {
    public let id: SessionID
    public let info: SessionInfo
    /// The RTP stream to the peer.
    public let stream: StreamID
    /// The options that the player has set for this peer.
    public let options: PeerOptions
    /// When the session was established.
    let establishedAt: Instant
    /// What is known about the kind of the peer.
    enum Kind: Sendable { case unknown, standardDevice, tuttiPeer }
    /// A standard device has not answered a clock probe in time. A clock probe of a Tutti peer shows its kind; its identity may be unknown
    /// still.
    var kind = Kind.unknown
    /// Whether the peer sends recovery journals.
    var sendsJournals = false
    /// Whether ``Event/joined(_:)`` was reported.
    var isReported = false
    /// When a phrase (recorded notes, ``Phrase``) of each player of this peer last arrived. Another one of the same player is dropped for a
    /// second.
    var phraseSenders: [Identity: Instant] = [:]
    /// Whether the player was informed that the peer changes the sound of the player's instrument.
    var hasShaped = false
    /// Whether the player was informed that the peer sends a clock that is not used.
    var isClockReported = false
    /// The number of implausible time stamps of the peer.
    var implausibleStamps = 0
    /// The number of replies of the peer that answer no packet or arrived twice.
    var unsolicitedReplies = 0
    /// The offset of the peer's clock, as last reported to the receiving half.
    var reportedOffset: Nanoseconds?
    /// The messages of this peer that are admitted, and how loud its notes sound, as last reported to the
    /// receiving half.
    var admission = Admission()
    /// The settings that the peer has made on MIDI channels at the local peer.
    var settings = ChannelSettings()
    /// Whether the settings of the local player were sent to this peer after its first presence. Stays false for a standard device.
    var hasSettings = false
    /// The newest timeline message that arrived before the peer was recognised. It is kept until the recognition, because the clock
    /// probe reply that identifies the peer may have been lost, and a master repeats the message only once per bar.
    @Boxed var pendingTimelineMessage: TimelineMessage?
    init(id: SessionID, info: SessionInfo, stream: StreamID, options: PeerOptions, at now: Instant) {
      (self.id, self.info, self.stream, self.options, establishedAt) = (id, info, stream, options, now)
    }
  }

  /// The state of a Tutti peer in session.
  struct Membership: Sendable {
    /// When the local peer last received something from the peer.
    private(set) var lastHeard: Instant
    /// The instant since which the peer was heard without an interruption of ``EnsembleState/silence``.
    private(set) var heardSince: Instant
    /// The newest presence from the peer.
    var presence: Presence?
    /// The newest timeline message of the peer.
    @Boxed var timeline: TimelineMessage?
    /// The members whose messages the peer wants to get from the local peer, and when it said so last.
    var forwarded: (peers: Set<Identity>, at: Instant)?
    /// When the local peer last sent its presence to the peer.
    var lastPresented: Instant?
    /// The position of the peer in the order in which the peers took their present names.
    var nameOrder: UInt64 = 0
    /// Whether the peer is the first member with its name. Only this peer can be addressed by the name.
    var ownsName = false
    /// The peer's claim to a MIDI channel; nil until the first presence.
    var channelClaim: ChannelClaim?
    /// The players of the peer.
    var players = MemberPlayers()
    /// The activity level that the peer reported; nil until the first report.
    var level: UInt8?
    /// Whether the peer is known to play the current rhythm. Only such peers count in the total activity.
    var takesPart = false
    /// The gates that the peer has opened for other members, as it has reported them; of a peer without a session also those for the
    /// local peer. At most ``EnsembleState/maximumMemberGates``.
    var gatesForOthers: [Identity: GateSet] = [:]
    /// The gates of the local peer for this peer, as the local peer last reported them to all members; nil before the first report.
    var reportedGates: GateSet?

    init(at now: Instant) { (lastHeard, heardSince) = (now, now) }

    /// Records that something from the peer has arrived.
    mutating func hear(at now: Instant) {
      if now - lastHeard >= EnsembleState.silence { heardSince = now }
      lastHeard = now
    }

    /// Sets the reported activity level; a value above 127 counts as 127. A peer that reports its activity plays the rhythm.
    mutating func setLevel(_ level: UInt8) { (self.level, takesPart) = (min(level, 127), true) }

    /// The players that count at this peer.
    ///
    /// - Parameter level: the newest ``level``, without the part in the moderate total.
    func summary(level: Int) -> PlayerSummary {
      var summary = presence?.players ?? PlayerSummary()
      // The level is newer than the presence, but ends at 127.
      if level < 127 || summary.sum < 127 { summary.sum = level }
      if summary.count == 1 { summary.maximum = UInt8(min(level, 127)) }
      return players.removingMoved(from: summary)
    }
  }
}
