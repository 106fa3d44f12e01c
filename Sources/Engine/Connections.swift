import Ensemble
import MusicalTime
import RTPMIDI
import Transports

/// The peers this one was told to connect to: each is invited until it is there, and again when it has gone.
struct Connections {
  /// How soon after a failure the next invitation goes out.
  static var pause: Nanoseconds { .seconds(1) }
  /// After so long without an answer the player is told, once.
  static var patience: Nanoseconds { .seconds(3) }

  struct Target {
    let address: SocketAddress
    var session: SessionID?
    /// Reached by a session that the other side began.
    var reachedBy: Identity?
    var isEstablished = false
    var nextTry: Instant
    var since: Instant
    var told = false
  }

  private(set) var targets: [Target]

  init(to addresses: [SocketAddress], at now: Instant) {
    targets = addresses.map { Target(address: $0, nextTry: now, since: now) }
  }

  var areAllEstablished: Bool { targets.allSatisfy { $0.isEstablished } }
  var nextDeadline: Instant {
    targets.filter { $0.session == nil && $0.reachedBy == nil }.map(\.nextTry).min() ?? .distantFuture
  }

  /// Invites whom it is time to invite; gives those who have not answered for long, once each.
  ///
  /// - Parameter stands: whether a session is established, as one may be that the other side has begun meanwhile.
  mutating func advance(
    _ endpoint: Endpoint<SocketAddress>, at now: Instant, where stands: (SessionID) -> Bool
  ) -> [SocketAddress] {
    var silent: [SocketAddress] = []
    for n in targets.indices {
      if targets[n].session == nil, targets[n].reachedBy == nil, now >= targets[n].nextTry {
        let address = targets[n].address
        var data = address
        data.port += 1
        targets[n].session = try? endpoint.connect(to: address, data: data, at: now)
        targets[n].nextTry = now + Self.pause
        if let session = targets[n].session, stands(session) { established(session) }
      }
      if !targets[n].isEstablished, !targets[n].told, now - targets[n].since > Self.patience {
        targets[n].told = true
        silent.append(targets[n].address)
      }
    }
    return silent
  }

  mutating func established(_ session: SessionID) {
    for n in targets.indices where targets[n].session == session {
      targets[n].isEstablished = true
      targets[n].told = false
    }
  }

  /// The invitation was refused: whether the player is to be told, which is once.
  mutating func refused(_ session: SessionID) -> Bool {
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

  /// The session is over; `identity` is its peer's, when that peer has no other.
  mutating func ended(_ session: SessionID, of identity: Identity?, at now: Instant) {
    for n in targets.indices {
      let gone = identity != nil && targets[n].reachedBy == identity
      guard targets[n].session == session || gone else { continue }
      if targets[n].reachedBy == nil || gone {
        targets[n].isEstablished = false
        targets[n].reachedBy = nil
        targets[n].since = now
        targets[n].nextTry = now + Self.pause
      }
      targets[n].session = nil
    }
  }
}
