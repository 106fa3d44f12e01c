import Ensemble
import MusicalTime
import RTPMIDI
import Transports

/// The peers to invite: those that this one was told to connect to, each until it is there and again when it has gone,
/// and for a minute each Tutti peer that has fallen silent, whichever side had begun the session.
struct Connections {
  /// How soon after a failure the next invitation goes out.
  static var pause: Nanoseconds { .seconds(1) }
  /// After so long without an answer the player is told, once.
  static var patience: Nanoseconds { .seconds(3) }
  /// For so long a peer that has fallen silent is invited.
  static var searchTime: Nanoseconds { .seconds(60) }

  struct Target {
    let address: SocketAddress
    let data: SocketAddress
    /// When a silent peer is given up; nil for one that this peer was told to connect to.
    var expires: Instant?
    var session: SessionID?
    /// Who was recognised there last.
    var identity: Identity?
    /// Reached by a session that the other side began.
    var reachedBy: Identity?
    var isEstablished = false
    var nextTry: Instant
    var since: Instant
    var told = false

    /// Whether it is to be invited as soon as its time has come.
    var isSought: Bool { session == nil && reachedBy == nil }
  }

  private(set) var targets: [Target]

  init(to addresses: [SocketAddress], at now: Instant) {
    targets = addresses.map { address in
      let data = SocketAddress(host: address.host, port: address.port + 1)
      return Target(address: address, data: data, nextTry: now, since: now)
    }
  }

  /// Whether all that this peer was told to connect to are there.
  var areAllEstablished: Bool { targets.allSatisfy { $0.isEstablished || $0.expires != nil } }

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
        targets[n].session = try? endpoint.connect(to: targets[n].address, data: targets[n].data, at: now)
        targets[n].nextTry = now + Self.pause
        if let session = targets[n].session, stands(session) { targets[n].isEstablished = true }
      }
      if !targets[n].isEstablished, !targets[n].told, now - targets[n].since > Self.patience {
        targets[n].told = true
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
      targets[n].told = false
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
    guard let n = targets.firstIndex(where: { $0.session == session }), !targets[n].told else { return false }
    targets[n].told = true
    return true
  }

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
    targets.append(
      Target(
        address: info.control, data: info.data, expires: now + Self.searchTime, identity: identity,
        nextTry: now + Self.pause, since: now, told: true))
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
