import MusicalTime
import PeerProtocol
import RTPMIDI

/// The peers that members have introduced (``PeerProtocol/Introduction``).
///
/// In an open group, a hostile member can introduce any address, also that of a device that never asked for an invitation. The number of
/// invitations is therefore limited: ``introducedLimit`` pending addresses per introducer, three invitations to an address per minute,
/// and ``introducedRate`` invitations per second to all introduced addresses together. An address remains pending
/// for a minute, so that an introducer cannot replace it by another one sooner.
extension InvitationList {
  /// The largest number of pending addresses per introducer.
  static var introducedLimit: Int { 15 }
  /// The largest number of invitations to introduced addresses per second.
  static var introducedRate: Int { 8 }
  /// The number of invitations to an address in the time ``introducedPause``.
  static var introducedTries: Int { 3 }
  static var introducedPause: Nanoseconds { .seconds(60) }

  /// Adds an introduced peer that is not in session. An announcement, a search or a configured address at the same place has precedence. Of two
  /// introduced peers, the one with the lower identity invites; the other one waits for ``courtesy``.
  mutating func introduced(_ identity: Identity, at place: Place, by introducer: Identity, now: Instant) {
    guard identity != local, announcements[identity] == nil,
      !targets.contains(where: {
        $0.place.control == place.control || ($0.introducer != nil && $0.identity == identity)
      }),
      targets.count(where: { $0.introducer == introducer }) < Self.introducedLimit
    else { return }
    defer { schedule() }
    var target = Target(
      place, reason: .introduced(by: introducer), at: now, firstTry: local < identity ? now : now + Self.courtesy)
    target.identity = identity
    targets.append(target)
  }

  /// Invites the introduced peers. The endpoint sends an invitation per second, so that an attempt consists of ``introducedTries`` seconds.
  mutating func advanceIntroduced(_ endpoint: Endpoint, at now: Instant, where isEstablished: (SessionID) -> Bool) {
    introducedStarts.removeAll { now - $0 >= .seconds(1) }
    for n in targets.indices.reversed() where targets[n].introducer != nil && now >= targets[n].nextTry {
      if let session = targets[n].session {
        if isEstablished(session) {
          // The peer is not recognised yet.
          targets[n].nextTry = now + Self.pause
        } else {
          endpoint.close(session, at: now)
          (targets[n].session, targets[n].nextTry) = (nil, targets[n].since + Self.introducedPause)
        }
      } else if targets[n].lastTry != nil {
        // The minute has passed. A peer that is still introduced is added again.
        targets.remove(at: n)
      }
    }
    for n in targets.indices where targets[n].introducer != nil && targets[n].isPending && now >= targets[n].nextTry {
      let active = targets.count { target in
        target.introducer != nil && target.lastTry != nil && !target.isEstablished
          && (.seconds(1)..<Nanoseconds.seconds(Int64(Self.introducedTries))).contains(now - target.since)
      }
      guard introducedStarts.count + active < Self.introducedRate else {
        targets[n].nextTry = now + .milliseconds(250)
        continue
      }
      introducedStarts.append(now)
      (targets[n].since, targets[n].lastTry) = (now, now)
      // Without the extension, the endpoint waits a second after each invitation.
      targets[n].session = try? endpoint.connect(
        to: targets[n].place.control, data: targets[n].place.data, expectsExtension: false, at: now)
      // The attempt ends before the next invitation would be due.
      targets[n].nextTry = now + Nanoseconds.seconds(Int64(Self.introducedTries)) - .milliseconds(500)
    }
  }
}
