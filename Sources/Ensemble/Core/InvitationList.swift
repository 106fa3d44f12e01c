public import MusicalTime
public import PeerProtocol
public import RTPMIDI

/// The peers that the local peer invites, for one of four reasons (``Reason``):
///
/// - A configured peer is invited until it is in session, and again after its session has ended. The peer that answered at the
///   configured address may be in session at another address, while another peer is perhaps at the configured address. In this case,
///   the local peer sends an invitation to the configured address from time to time (``Target/isElsewhere``).
/// - A discovered peer is invited while it announces itself on the network.
/// - A Tutti peer that fell silent during its session is invited at its former place for a minute, whichever side had begun the
///   session. These invitations are a *search*.
/// - A peer that a member has introduced is invited at the address that the member has given (``introduced(_:at:by:now:)``).
///
/// Announcements are not part of the ``Roster``: an announced peer does not need to be in session, and its announcement is
/// independent of its sessions.
///
/// Real-time: not safe.
public struct InvitationList {
  /// The time between a failure and the next invitation.
  static var pause: Nanoseconds { .seconds(1) }
  /// The time without a reply after which a configured peer is reported to the player, but only once, and an announced peer becomes an
  /// element of ``silent``.
  static var patience: Nanoseconds { .seconds(3) }
  /// How long a search lasts.
  static var searchTime: Nanoseconds { .seconds(60) }
  /// The longest time from the end of an invitation to the next one, if the peer of a place seems to be in session at another address.
  static var longestRecheck: Nanoseconds { .seconds(60) }
  /// The value of ``longestRecheck`` for a place in doubt (``Target/doubtEnds``).
  static var longestRecheckInDoubt: Nanoseconds { .seconds(2) }
  /// How long a configured place is in doubt after the recognition of a peer whose identity differs from the previous one there.
  static var doubtTime: Nanoseconds { .seconds(300) }
  /// Of two peers that discover each other, the peer with the lower identity sends its invitation at once. The peer with the higher
  /// identity waits for this time before it sends an invitation as well.
  static var courtesy: Nanoseconds { .seconds(3) }

  /// The largest number of announced remote peers with which every peer connects to every other; see
  /// ``InvitationList/wants(_:)``. With the local peer, these are sixteen peers.
  public static var fullMeshLimit: Int { 15 }
  /// The limit for unanswered invitations of the local peer. While there are this many, no further announced peer is invited. Any
  /// program on the network can announce thousands of peers that do not exist. Invitations to such peers must not use up the sessions of
  /// the endpoint.
  public static var simultaneousLimit: Int { 64 }
  /// The largest number of announcements that are kept.
  public static var announcementLimit: Int { 4096 }

  /// The addresses of a peer: its control port and its data port.
  ///
  /// Real-time: not safe.
  public struct Place: Hashable, Sendable {
    public var control: SocketAddress
    public var data: SocketAddress

    public init(control: SocketAddress, data: SocketAddress) { (self.control, self.data) = (control, data) }

    /// Creates the place whose data port follows the control port `control`.
    public init(_ control: SocketAddress) {
      self.init(control: control, data: control)
      data.port &+= 1
    }
  }

  /// Why a peer is invited.
  package enum Reason: Hashable, Sendable {
    /// The user has configured the peer.
    case configured
    /// The peer with this identity announces itself by this name on the network.
    case discovered(Identity, as: String)
    /// The peer fell silent during its session, and is invited until this instant: a search. The set ``InvitationList/silent`` has
    /// another meaning: announced peers that do not answer invitations.
    case silent(until: Instant)
    /// The member with this identity has introduced the peer.
    case introduced(by: Identity)
  }

  /// A peer to invite.
  package struct Target: Sendable {
    /// The addresses to which the invitation goes.
    package let place: Place
    package let reason: Reason
    /// The session with the peer at this place, established or still an invitation; nil if there is none.
    package var session: SessionID?
    /// The identity that was recognised last at this place. Before the first recognition, the identity that is announced there, or that
    /// a search looks for; nil if there is none. The recognised identity differs from the announced one if another peer has replaced the
    /// announced peer. The target is removed with the announcement even then.
    var identity: Identity?
    /// The identity of the peer if the local peer is in session with it, but not through ``session``; nil otherwise. For example, the peer
    /// has begun a session itself.
    var reachedBy: Identity?
    /// Whether the session of ``reachedBy`` is at another address than ``place``, and is perhaps not with the peer at this place. Either
    /// the peer at this place was perhaps on another machine (``isOnOtherMachine``), or the place is in doubt (``doubtEnds``). In both
    /// cases, the identity that was recognised at this place was perhaps forged. The place is therefore invited again, at intervals that
    /// double up to ``longestRecheck``.
    var isElsewhere = false
    /// Whether the peer that answered at this place last was perhaps on another machine than the peer with the same identity that is in
    /// session at another address.
    var isOnOtherMachine = false
    /// While ``isElsewhere`` is true: the time from the end of an invitation to the next one.
    var recheck = InvitationList.pause
    /// The place is in doubt until this instant, because different peers were recognised there. Either another peer has got the address,
    /// or a hostile device uses the address or an identity of others. A place in doubt is invited at short intervals.
    var doubtEnds = Instant(nanoseconds: .min)
    /// Whether the peer at this place is in session.
    var isEstablished = false
    /// Whether the peer with the announced identity is in session. Another peer may answer at the announced place.
    var isAnswered = false
    /// When the peer is invited next.
    var nextTry: Instant
    /// The beginning of the wait for a reply: when the first invitation was due, or when the session ended. For an announced
    /// peer, when it was first invited.
    var since: Instant
    /// When the peer was invited last; nil if it was not invited yet.
    var lastTry: Instant?
    /// Whether the player was informed that the peer does not reply, or refuses.
    var isReported = false

    init(_ place: Place, reason: Reason, at now: Instant, firstTry: Instant? = nil) {
      (self.place, self.reason) = (place, reason)
      (since, nextTry) = (firstTry ?? now, firstTry ?? now)
    }

    /// Whether the peer is invited at ``nextTry``: either the peer has no session, or another peer may be at this place (``isElsewhere``).
    /// The place of an announced peer that is in session is not invited.
    var isPending: Bool { session == nil && !isAnswered && (reachedBy == nil || isElsewhere) }

    /// Records that the peer with this identity was recognised at this place.
    mutating func recognise(_ new: Identity, at now: Instant) {
      defer { identity = new }
      guard let identity, identity != new, reason == .configured else { return }
      (doubtEnds, recheck) = (now + InvitationList.doubtTime, InvitationList.pause)
    }

    /// Records that the local peer is in session with the peer of this identity through another session than ``session``, at `address`.
    ///
    /// If the peer at this place is known to be on the same machine as the peer at `address`, the peer has several addresses, or has
    /// moved. Another invitation would only disturb its session.
    mutating func reach(by peer: Identity, at address: SocketAddress, now: Instant) {
      (reachedBy, isEstablished) = (peer, true)
      isElsewhere = address != place.control && (isOnOtherMachine || now < doubtEnds)
    }

    /// Sets ``nextTry`` after an invitation, while ``isElsewhere`` is true.
    mutating func delayRecheck(at now: Instant) {
      nextTry = now + (now < doubtEnds ? min(recheck, InvitationList.longestRecheckInDoubt) : recheck)
      recheck = min(recheck + recheck, InvitationList.longestRecheck)
    }

    /// Records that ``session`` is established with the peer at this place.
    mutating func markEstablished() {
      (isEstablished, reachedBy, isElsewhere, isOnOtherMachine) = (true, nil, false, false)
    }

    /// Whether the peer is announced and invited, but not in session yet.
    var isBeingTried: Bool { announced != nil && session != nil && !isEstablished }

    /// The identity that is announced at this place; nil if the target has another reason.
    var announced: Identity? { if case .discovered(let identity, as: _) = reason { identity } else { nil } }

    /// The member that has introduced the peer; nil if the target has another reason.
    var introducer: Identity? { if case .introduced(let introducer) = reason { introducer } else { nil } }
    /// When the search ends; nil if the target is not a search.
    var expires: Instant? {
      guard case .silent(let end) = reason else { return nil }
      return end
    }
  }

  /// The peers to invite, and the peers that are in session after an invitation.
  package internal(set) var targets: [Target]
  /// The identity of the local peer.
  let local: Identity
  /// The announcements on the network.
  var announcements: [Identity: Announcement] = [:]
  /// The identities of ``announcements`` without those in ``silent``, in ascending order.
  var responsive: [Identity] = []
  /// The announced peers that did not answer an invitation for ``patience``, or that refused it. A peer is removed when it is
  /// in session, or is announced at another place.
  var silent: Set<Identity> = []
  /// Whether ``silent`` has grown, so that other peers are wanted instead.
  var hasNewlySilent = false
  /// The highest announced identity that the local peer wants to connect to, apart from the master, which is wanted in any case. Nil if
  /// all announced peers are wanted.
  var highestWanted: Identity?
  /// The master; nil while it is not known.
  var master: Identity?
  /// The instants of the invitations of introduced peers in the last second.
  var introducedStarts: [Instant] = []
  /// The instant before which no announced peer is invited, because there are ``simultaneousLimit`` unanswered invitations. An
  /// invitation that succeeds or ends makes room earlier.
  var waitEnds = Instant(nanoseconds: .min)
  /// The instant at which ``advance(_:at:where:isInSession:)`` must be called next.
  public internal(set) var nextDeadline = Instant.distantFuture

  /// - Parameters:
  ///   - places: the configured peers.
  ///   - local: the identity of the local peer.
  public init(to places: [Place], local: Identity, at now: Instant) {
    targets = places.map { Target($0, reason: .configured, at: now) }
    self.local = local
    schedule()
  }

  /// Adds a configured peer whose address has become known. Does nothing if there is a configured peer at this address.
  public mutating func configure(_ place: Place, at now: Instant) {
    guard !targets.contains(where: { $0.reason == .configured && $0.place.control == place.control }) else { return }
    targets.append(Target(place, reason: .configured, at: now))
    schedule()
  }

  /// Whether all configured peers are in session.
  public var areAllEstablished: Bool { targets.allSatisfy { $0.isEstablished || $0.reason != .configured } }

  /// The addresses of the configured peers that are not in session.
  public var missingPlaces: [SocketAddress] {
    targets.filter { !$0.isEstablished && $0.reason == .configured }.map(\.place.control)
  }

  /// Updates ``nextDeadline``. Every change of the targets ends with this call.
  mutating func schedule() {
    var earliest = Instant.distantFuture
    for target in targets {
      if target.isPending {
        earliest = min(earliest, target.announced == nil ? target.nextTry : max(target.nextTry, waitEnds))
      }
      if let expires = target.expires, expires < earliest { earliest = expires }
      if target.introducer != nil, target.nextTry < earliest { earliest = target.nextTry }
      if isAwaited(target), target.since + Self.patience < earliest { earliest = target.since + Self.patience }
    }
    nextDeadline = hasNewlySilent ? Instant(nanoseconds: .min) : earliest
  }

  /// Whether the reply of a peer is awaited. If a configured peer does not reply for ``patience``, the player is informed. If an
  /// announced peer does not reply for this time, other peers are invited instead.
  private func isAwaited(_ target: Target) -> Bool {
    switch target.reason {
    case .configured: !target.isEstablished && !target.isReported
    case .discovered(let identity, as: _): target.lastTry != nil && !target.isAnswered && !silent.contains(identity)
    case .silent, .introduced: false
    }
  }

  /// Sends the invitations that are due.
  ///
  /// - Parameters:
  ///   - isEstablished: returns whether a session is established. The other side may have begun the session meanwhile.
  ///   - isInSession: returns whether a peer is in session already.
  /// - Returns: the addresses of the configured peers that have not replied for ``patience``. Each peer is returned only once.
  mutating func advance(
    _ endpoint: Endpoint, at now: Instant, where isEstablished: (SessionID) -> Bool,
    isInSession: (Identity) -> Bool
  ) -> [SocketAddress] {
    guard now >= nextDeadline else { return [] }
    defer { schedule() }
    targets.removeAll { $0.expires.map { $0 <= now } ?? false }
    advanceIntroduced(endpoint, at: now, where: isEstablished)
    var missing: [SocketAddress] = []
    var newlySilent: [Identity] = []
    let waiting = findWaiting(endpoint, at: now)
    for n in targets.indices {
      if targets[n].isPending, now >= targets[n].nextTry, !waiting.contains(n), targets[n].introducer == nil {
        let target = targets[n]
        if target.announced != nil, target.lastTry == nil { targets[n].since = now }
        targets[n].lastTry = now
        // A peer with an identity is a Tutti peer, so it is expected to know Tutti's extension of RTP-MIDI.
        targets[n].session = try? endpoint.connect(
          to: target.place.control, data: target.place.data, expectsExtension: target.identity != nil, at: now)
        targets[n].nextTry = now + Self.pause
        if let session = targets[n].session, isEstablished(session) { targets[n].isEstablished = true }
      }
      if isAwaited(targets[n]), now - targets[n].since >= Self.patience {
        if let identity = targets[n].announced {
          newlySilent.append(identity)
        } else {
          targets[n].isReported = true
          missing.append(targets[n].place.control)
        }
      }
    }
    for identity in newlySilent { noteSilence(of: identity) }
    if hasNewlySilent {
      hasNewlySilent = false
      // The other peers have been announced for some time. If they wanted to invite the local peer, they would have done so.
      reconsider(isInSession: isInSession, at: now, courtesy: .zero)
    }
    return missing
  }

  /// Returns the indices of the announced peers whose invitation is due, but must wait because of ``simultaneousLimit``. Peers
  /// that have not been invited yet go first, then the peers whose last invitation was the longest ago. While peers wait, invitations
  /// without an answer for ``patience`` are closed. The next check follows after 100 ms.
  private mutating func findWaiting(_ endpoint: Endpoint, at now: Instant) -> Set<Int> {
    let due = targets.indices.filter {
      targets[$0].announced != nil && targets[$0].isPending && now >= targets[$0].nextTry
    }
    guard due.count > Self.simultaneousLimit - endpoint.invitationCount else { return [] }
    for n in targets.indices where targets[n].isBeingTried {
      guard let session = targets[n].session, let last = targets[n].lastTry, now - last >= Self.patience else {
        continue
      }
      endpoint.close(session, at: now)
      (targets[n].session, targets[n].nextTry) = (nil, now + Self.pause)
    }
    let free = max(0, Self.simultaneousLimit - endpoint.invitationCount)
    let order = due.sorted { a, b in
      let never = Instant(nanoseconds: .min)
      let (first, second) = (targets[a].lastTry ?? never, targets[b].lastTry ?? never)
      return first != second ? first < second : a < b
    }
    let waiting = Set(order.dropFirst(free))
    if !waiting.isEmpty { waitEnds = now + .milliseconds(100) }
    return waiting
  }
}
