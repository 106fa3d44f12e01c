import Ensemble
import MusicalTime
import RTPMIDI
import Transports

/// The peers to invite: those that this one was told to connect to, each until it is there and again when it has gone;
/// those that were found on the network; and for a minute each Tutti peer that has fallen silent, whichever side had
/// begun the session.
struct Connections {
  /// How soon after a failure the next invitation goes out.
  static var pause: Nanoseconds { .seconds(1) }
  /// After so long without an answer the player is told, once.
  static var patience: Nanoseconds { .seconds(3) }
  /// For so long a peer that has fallen silent is invited.
  static var searchTime: Nanoseconds { .seconds(60) }
  /// Of two that find each other the lower identity invites; the other does when it has waited so long in vain.
  static var courtesy: Nanoseconds { .seconds(3) }

  /// So many of those found are connected to: up to 16 peers play each with each.
  static var mostFound: Int { 15 }

  enum Reason: Hashable {
    /// This peer was told to connect to it.
    case told
    /// The peer with this identity announces itself, by this name on the network.
    case found(Identity, as: String)
    /// It has fallen silent: sought until then.
    case silent(until: Instant)
  }

  struct Target {
    let address: SocketAddress
    let data: SocketAddress
    let reason: Reason
    var session: SessionID?
    /// Who was recognised there last, or announces itself there. A peer of another identity may have taken the place of
    /// the one that was announced, and is to be forgotten with the announcement all the same.
    var identity: Identity?
    /// Reached by a session that the other side began.
    var reachedBy: Identity?
    var isEstablished = false
    var nextTry: Instant
    var since: Instant
    var isTold = false

    init(
      _ address: SocketAddress, data: SocketAddress? = nil, reason: Reason, at now: Instant, firstTry: Instant? = nil
    ) {
      var next = address
      next.port &+= 1
      (self.address, self.data, self.reason) = (address, data ?? next, reason)
      (since, nextTry) = (now, firstTry ?? now)
    }

    /// Whether it is to be invited as soon as its time has come.
    var isSought: Bool { session == nil && reachedBy == nil }

    var isFound: Bool { if case .found = reason { true } else { false } }

    /// When it is given up.
    var expires: Instant? {
      guard case .silent(let end) = reason else { return nil }
      return end
    }
  }

  private(set) var targets: [Target]

  init(to addresses: [SocketAddress], at now: Instant) {
    targets = addresses.map { Target($0, reason: .told, at: now) }
  }

  /// Whether all that this peer was told to connect to are there.
  var areAllEstablished: Bool { targets.allSatisfy { $0.isEstablished || $0.reason != .told } }

  var nextDeadline: Instant {
    var earliest = Instant.distantFuture
    for target in targets {
      if target.isSought, target.nextTry < earliest { earliest = target.nextTry }
      if let expires = target.expires, expires < earliest { earliest = expires }
    }
    return earliest
  }

  /// Invites whom it is time to invite; gives those who have not answered for long, once each.
  ///
  /// - Parameter stands: whether a session is established, as one may be that the other side has begun meanwhile.
  mutating func advance(
    _ endpoint: Endpoint<SocketAddress>, at now: Instant, where stands: (SessionID) -> Bool
  ) -> [SocketAddress] {
    targets.removeAll { $0.expires.map { $0 <= now } ?? false }
    var silent: [SocketAddress] = []
    for n in targets.indices {
      if targets[n].isSought, now >= targets[n].nextTry {
        let target = targets[n]
        targets[n].session = try? endpoint.connect(
          to: target.address, data: target.data, expectsTutti: target.identity != nil, at: now)
        targets[n].nextTry = now + Self.pause
        if let session = targets[n].session, stands(session) { targets[n].isEstablished = true }
      }
      let isMissed = targets[n].reason == .told && !targets[n].isEstablished && !targets[n].isTold
      if isMissed, now - targets[n].since > Self.patience {
        targets[n].isTold = true
        silent.append(targets[n].address)
      }
    }
    targets.removeAll { $0.expires != nil && $0.isEstablished }
    return silent
  }

  /// A session with the peer at `address` stands.
  mutating func established(_ session: SessionID, at address: SocketAddress) {
    targets.removeAll { $0.expires != nil && ($0.session == session || $0.address == address) }
    for n in targets.indices where targets[n].session == session {
      targets[n].isEstablished = true
      targets[n].isTold = false
    }
  }

  /// The peer of a session is known: wherever it was sought before, it is found, for its address may have changed.
  mutating func recognised(_ session: SessionID, as identity: Identity) {
    targets.removeAll { $0.expires != nil && $0.identity == identity }
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
    targets.removeAll { $0.expires != nil && $0.session == session }
    guard let n = targets.firstIndex(where: { $0.session == session }), !targets[n].isTold else { return false }
    targets[n].isTold = true
    // Nobody asked for this one: it is let be until it announces itself anew.
    if targets[n].isFound { targets.remove(at: n) }
    return true
  }

  /// At the other end of the session is nobody to play with: it is not sought any more.
  mutating func abandoned(_ session: SessionID) { targets.removeAll { $0.session == session } }

  /// The session was given up because the peer is reached by another one already.
  mutating func reached(_ session: SessionID, by identity: Identity) {
    for n in targets.indices where targets[n].session == session {
      targets[n].reachedBy = identity
      targets[n].isEstablished = true
    }
  }

  /// A Tutti peer's session was lost, not ended: it is sought where it was, unless it is sought there already.
  mutating func lost(_ identity: Identity, of info: SessionInfo<SocketAddress>, at now: Instant) {
    guard !targets.contains(where: { $0.address == info.control }),
      targets.count < Endpoint<SocketAddress>.sessionLimit
    else { return }
    var target = Target(
      info.control, data: info.data, reason: .silent(until: now + Self.searchTime), at: now, firstTry: now + Self.pause)
    target.identity = identity
    targets.append(target)
  }

  /// The peer with `identity` announces itself at `address`. Of several announcements the newest counts: one made under
  /// another name, when the first was taken, is seen a second before the first is gone.
  ///
  /// - Parameters:
  ///   - name: what it is announced by.
  ///   - isMet: whether it is in session already.
  ///   - own: this peer's identity.
  /// - Returns: false when there are ``mostFound`` others already.
  mutating func found(
    _ identity: Identity, as name: String, at address: SocketAddress, isMet: Bool, own: Identity, now: Instant
  ) -> Bool {
    guard !targets.contains(where: { $0.address == address && $0.reason == .told }) else { return true }
    targets.removeAll { if case .found(identity, as: _) = $0.reason { true } else { false } }
    guard targets.count(where: \.isFound) < Self.mostFound else { return false }
    var target = Target(
      address, reason: .found(identity, as: name), at: now, firstTry: own < identity ? now : now + Self.courtesy)
    target.identity = identity
    if isMet { (target.reachedBy, target.isEstablished) = (identity, true) }
    targets.append(target)
    return true
  }

  /// The peer with `identity` announces itself by `name` no more. A session with it stands.
  mutating func withdrawn(_ identity: Identity, as name: String) {
    targets.removeAll { $0.reason == .found(identity, as: name) }
  }

  /// The session is over; `identity` is its peer's, when that peer has no other.
  mutating func ended(_ session: SessionID, of identity: Identity?, at now: Instant) {
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
