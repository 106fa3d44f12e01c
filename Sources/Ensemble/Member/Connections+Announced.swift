public import MusicalTime
public import PeerProtocol

/// Who announces itself on the network, and to whom of them this peer connects: up to sixteen peers play each with each,
/// as every one may become anybody's master. A thousand cannot. Then two of them, those with the lowest identities, are in
/// session with everybody, and so is the master: they hear all and tell all who plays (``Presence``), and the lowest that is
/// not the master is the next in line. Everybody reckons for itself who these are; no one is asked.
extension Connections {
  struct Announcement: Sendable {
    let name: String
    let place: Place
  }

  /// Whether this peer is to connect to the one that announces itself with `identity`.
  func wants(_ identity: Identity) -> Bool {
    if announced.count <= Self.mostFound || identity == master || own == master { return true }
    // Own is below the second of the others: it is one of the two lowest of all.
    guard lowest.count == 2 else { return true }
    return own < lowest[1] || identity <= lowest[1]
  }

  /// The peer with `identity` announces itself at `place`. Of several announcements the newest counts: one made under
  /// another name, when the first was taken, is seen a second before the first is gone.
  ///
  /// - Parameters:
  ///   - name: what it is announced by.
  ///   - isMet: whether it is in session already.
  /// - Returns: false when there are ``mostAnnounced`` others already.
  public mutating func found(
    _ identity: Identity, as name: String, at place: Place, isMet: Bool, now: Instant
  ) -> Bool {
    guard !targets.contains(where: { $0.place.control == place.control && $0.reason == .told }) else { return true }
    guard announced[identity] != nil || announced.count < Self.mostAnnounced else { return false }
    defer { schedule() }
    if announced.updateValue(Announcement(name: name, place: place), forKey: identity) == nil {
      let isAmongLowest = lowest.count < 2 || identity < lowest[1]
      if isAmongLowest { lowest = Array((lowest + [identity]).sorted().prefix(2)) }
      if isAmongLowest || announced.count == Self.mostFound + 1 { targets = targets.filter(isStillWanted) }
    } else {
      targets.removeAll { if case .found(identity, as: _) = $0.reason { true } else { false } }
    }
    if wants(identity) { add(identity, isMet: isMet, at: now) }
    return true
  }

  /// Whoever has not been invited yet, and is one too many for each with each, is left out.
  private func isStillWanted(_ target: Target) -> Bool {
    guard target.isFound, target.isSought, let identity = target.identity else { return true }
    return wants(identity)
  }

  /// The peer with `identity` announces itself by `name` no more. A session with it stands.
  ///
  /// - Parameter isMet: whether one is in session already.
  public mutating func withdrawn(_ identity: Identity, as name: String, isMet: (Identity) -> Bool, now: Instant) {
    targets.removeAll { $0.reason == .found(identity, as: name) }
    guard announced[identity]?.name == name else { return schedule() }
    announced[identity] = nil
    lowest = Array(announced.keys.sorted().prefix(2))
    reconsider(isMet: isMet, at: now)
  }

  /// The peer with `identity` gives the rhythm.
  mutating func follow(master identity: Identity, isMet: (Identity) -> Bool, at now: Instant) {
    guard master != identity else { return }
    master = identity
    if announced.count > Self.mostFound { reconsider(isMet: isMet, at: now) }
  }

  /// Connects to all that are wanted now. Sessions that stand are not ended: somebody may play by them.
  private mutating func reconsider(isMet: (Identity) -> Bool, at now: Instant) {
    defer { schedule() }
    let sought = Set(targets.compactMap(\.identity))
    for identity in announced.keys.filter({ !sought.contains($0) && wants($0) }).sorted() {
      add(identity, isMet: isMet(identity), at: now)
    }
  }

  private mutating func add(_ identity: Identity, isMet: Bool, at now: Instant) {
    guard let announcement = announced[identity] else { return }
    var target = Target(
      announcement.place, reason: .found(identity, as: announcement.name), at: now,
      firstTry: own < identity ? now : now + Self.courtesy)
    target.identity = identity
    if isMet { (target.reachedBy, target.isEstablished) = (identity, true) }
    targets.append(target)
  }
}
