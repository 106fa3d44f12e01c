public import MusicalTime
public import PeerProtocol
public import RTPMIDI

/// The peers to invite: those that this one was told to connect to, each until it is there and again when it has gone;
/// those that were found on the network; and for a minute each Tutti peer that has fallen silent, whichever side had
/// begun the session.
public struct Connections {
  /// How soon after a failure the next invitation goes out.
  static var pause: Nanoseconds { .seconds(1) }
  /// After so long without an answer the player is told, once.
  static var patience: Nanoseconds { .seconds(3) }
  /// For so long a peer that has fallen silent is invited.
  static var searchTime: Nanoseconds { .seconds(60) }
  /// Of two that find each other the lower identity invites; the other does when it has waited so long in vain.
  static var courtesy: Nanoseconds { .seconds(3) }

  /// With so many others each peer connects to each; beyond, see ``Connections/wants(_:)``.
  public static var mostFound: Int { 15 }
  /// So many announcements are kept; as many sessions as an endpoint has may be wanted of them.
  public static var mostAnnounced: Int { 4096 }

  /// Where a peer is reached: its control port, and the data port beside it.
  public struct Place: Hashable, Sendable {
    public var control: SocketAddress
    public var data: SocketAddress

    public init(control: SocketAddress, data: SocketAddress) { (self.control, self.data) = (control, data) }

    /// The data port is the one after the control port.
    public init(_ control: SocketAddress) {
      self.init(control: control, data: control)
      data.port &+= 1
    }
  }

  package enum Reason: Hashable, Sendable {
    /// This peer was told to connect to it.
    case told
    /// The peer with this identity announces itself, by this name on the network.
    case found(Identity, as: String)
    /// It has fallen silent: sought until then.
    case silent(until: Instant)
  }

  package struct Target: Sendable {
    package let place: Place
    package let reason: Reason
    package var session: SessionID?
    /// Who was recognised there last, or announces itself there. A peer of another identity may have taken the place of
    /// the one that was announced, and is to be forgotten with the announcement all the same.
    var identity: Identity?
    /// Reached by a session that the other side began.
    var reachedBy: Identity?
    var isEstablished = false
    var nextTry: Instant
    var since: Instant
    var isTold = false

    init(_ place: Place, reason: Reason, at now: Instant, firstTry: Instant? = nil) {
      (self.place, self.reason) = (place, reason)
      (since, nextTry) = (now, firstTry ?? now)
    }

    /// Whether it is to be invited as soon as its time has come.
    var isSought: Bool { session == nil && reachedBy == nil }

    /// Whether the player is to hear of it when it does not answer for long.
    var isMissed: Bool { reason == .told && !isEstablished && !isTold }

    var isFound: Bool { if case .found = reason { true } else { false } }

    /// When it is given up.
    var expires: Instant? {
      guard case .silent(let end) = reason else { return nil }
      return end
    }
  }

  package internal(set) var targets: [Target]
  /// This peer's identity.
  let own: Identity
  /// Those that announce themselves on the network.
  var announced: [Identity: Announcement] = [:] { didSet { crowd = announced.count } }
  /// How many they are: asked for at every packet, and kept so that the table, a large one in a crowd, is not touched for it.
  private(set) var crowd = 0
  /// The two lowest identities of ``announced``, the lower first.
  var lowest: [Identity] = []
  /// Who gives the rhythm, as far as is known.
  var master: Identity?
  /// When ``advance(_:at:where:)`` has something to do next.
  public internal(set) var nextDeadline = Instant.distantFuture

  public init(to places: [Place], own: Identity, at now: Instant) {
    targets = places.map { Target($0, reason: .told, at: now) }
    self.own = own
    schedule()
  }

  /// Whether all that this peer was told to connect to are there.
  public var areAllEstablished: Bool { targets.allSatisfy { $0.isEstablished || $0.reason != .told } }

  /// Finds out when there is something to do next. Every change of the targets ends with this.
  mutating func schedule() {
    var earliest = Instant.distantFuture
    for target in targets {
      if target.isSought, target.nextTry < earliest { earliest = target.nextTry }
      if let expires = target.expires, expires < earliest { earliest = expires }
      if target.isMissed, target.since + Self.patience < earliest { earliest = target.since + Self.patience }
    }
    nextDeadline = earliest
  }

  /// Invites whom it is time to invite; gives those who have not answered for long, once each.
  ///
  /// - Parameter stands: whether a session is established, as one may be that the other side has begun meanwhile.
  mutating func advance(
    _ endpoint: Endpoint, at now: Instant, where stands: (SessionID) -> Bool
  ) -> [SocketAddress] {
    guard now >= nextDeadline else { return [] }
    defer { schedule() }
    targets.removeAll { $0.expires.map { $0 <= now } ?? false }
    var silent: [SocketAddress] = []
    for n in targets.indices {
      if targets[n].isSought, now >= targets[n].nextTry {
        let target = targets[n]
        targets[n].session = try? endpoint.connect(
          to: target.place.control, data: target.place.data, expectsExtension: target.identity != nil, at: now)
        targets[n].nextTry = now + Self.pause
        if let session = targets[n].session, stands(session) { targets[n].isEstablished = true }
      }
      if targets[n].isMissed, now - targets[n].since >= Self.patience {
        targets[n].isTold = true
        silent.append(targets[n].place.control)
      }
    }
    return silent
  }

  /// A session with the peer at `address` stands.
  mutating func established(_ session: SessionID, at address: SocketAddress) {
    defer { schedule() }
    for n in targets.indices where targets[n].expires != nil && targets[n].place.control == address {
      targets[n].session = session
    }
    for n in targets.indices where targets[n].session == session {
      targets[n].isEstablished = true
      targets[n].isTold = false
    }
  }

  /// The peer of a session is none of ours: the one that fell silent there is not there any more.
  mutating func foreign(_ session: SessionID) {
    defer { schedule() }
    targets.removeAll { $0.expires != nil && $0.session == session }
  }

  /// The peer of a session is known: wherever it was sought before, it is found, for its address may have changed.
  mutating func recognised(_ session: SessionID, as identity: Identity) {
    defer { schedule() }
    targets.removeAll { $0.expires != nil && ($0.identity == identity || $0.session == session) }
    for n in targets.indices {
      if targets[n].session == session {
        targets[n].identity = identity
      } else if targets[n].identity == identity, !targets[n].isEstablished {
        targets[n].reachedBy = identity
        targets[n].isEstablished = true
      }
    }
  }

  /// The invitation was refused: whether the player is to be told, which is once.
  mutating func refused(_ session: SessionID) -> Bool {
    defer { schedule() }
    targets.removeAll { $0.expires != nil && $0.session == session }
    guard let n = targets.firstIndex(where: { $0.session == session }), !targets[n].isTold else { return false }
    targets[n].isTold = true
    // Nobody asked for this one: it is let be until it announces itself anew.
    if targets[n].isFound { targets.remove(at: n) }
    return true
  }

  /// At the other end of the session is nobody to play with: it is not sought any more.
  mutating func abandoned(_ session: SessionID) {
    defer { schedule() }
    targets.removeAll { $0.session == session }
  }

  /// The session was given up because the peer is reached by another one already.
  mutating func reached(_ session: SessionID, by identity: Identity) {
    defer { schedule() }
    for n in targets.indices where targets[n].session == session {
      targets[n].reachedBy = identity
      targets[n].isEstablished = true
    }
  }

  /// A Tutti peer's session was lost, not ended: it is sought where it was, unless it is sought there already.
  mutating func lost(_ identity: Identity, of info: SessionInfo, at now: Instant) {
    defer { schedule() }
    guard !targets.contains(where: { $0.place.control == info.control }),
      targets.count < Endpoint.sessionLimit
    else { return }
    var target = Target(
      Place(control: info.control, data: info.data), reason: .silent(until: now + Self.searchTime), at: now,
      firstTry: now + Self.pause)
    target.identity = identity
    targets.append(target)
  }

  /// The session is over; `identity` is its peer's, when that peer has no other.
  mutating func ended(_ session: SessionID, of identity: Identity?, at now: Instant) {
    defer { schedule() }
    for n in targets.indices {
      let gone = identity != nil && targets[n].reachedBy == identity
      guard targets[n].session == session || gone else { continue }
      if targets[n].reachedBy == nil || gone {
        // An invitation without an answer has taken its time: the next follows at once.
        if targets[n].isEstablished { (targets[n].since, targets[n].nextTry) = (now, now + Self.pause) }
        targets[n].isEstablished = false
        targets[n].reachedBy = nil
      }
      targets[n].session = nil
    }
  }
}
