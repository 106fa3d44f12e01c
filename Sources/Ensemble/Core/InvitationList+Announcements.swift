public import MusicalTime
public import PeerProtocol

/// The announcements on the network, and the choice of the announced peers to connect to.
///
/// Up to sixteen peers all connect to each other, because each of them may become the master. A thousand peers cannot. With
/// more than sixteen, all peers connect to the two peers with the lowest identities and to the master. These peers hear all
/// others and report the claim that plays to all (``Presence``). The lowest of them that is not the master is the next in the
/// order of succession. Each peer computes the two lowest identities from the announcements, without a coordinator.
extension InvitationList {
  /// The newest announcement of a peer.
  struct Announcement: Sendable {
    /// The name by which the peer announces itself.
    let name: String
    let place: Place
  }

  /// Whether the local peer connects to the announced peer with `identity`.
  func wants(_ identity: Identity) -> Bool {
    if announcements.count <= Self.fullMeshLimit || identity == master || local == master { return true }
    // If the local identity is below the second lowest of the others, it is one of the two lowest of all.
    guard lowest.count == 2 else { return true }
    return local < lowest[1] || identity <= lowest[1]
  }

  /// The peer with `identity` announces itself at `place`. The newest announcement counts: a peer whose first name was taken
  /// announces a second name one second before its first announcement is withdrawn.
  ///
  /// - Parameters:
  ///   - name: the name of the announcement.
  ///   - isInSession: whether the peer is in session already.
  /// - Returns: false if there are already ``announcementLimit`` other announcements.
  public mutating func found(
    _ identity: Identity, as name: String, at place: Place, isInSession: Bool, now: Instant
  ) -> Bool {
    // A configured peer is invited without an announcement.
    guard !targets.contains(where: { $0.place.control == place.control && $0.reason == .configured }) else {
      return true
    }
    guard announcements[identity] != nil || announcements.count < Self.announcementLimit else { return false }
    defer { schedule() }
    if announcements.updateValue(Announcement(name: name, place: place), forKey: identity) == nil {
      let isAmongLowest = lowest.count < 2 || identity < lowest[1]
      if isAmongLowest { lowest = Array((lowest + [identity]).sorted().prefix(2)) }
      // Targets may have become unwanted: there is a new lowest identity, or the limit of the full mesh was just exceeded.
      if isAmongLowest || announcements.count == Self.fullMeshLimit + 1 { targets = targets.filter(isStillWanted) }
    } else {
      // The new announcement replaces the target of the previous one.
      targets.removeAll { if case .discovered(identity, as: _) = $0.reason { true } else { false } }
    }
    if wants(identity) { add(identity, isInSession: isInSession, at: now) }
    return true
  }

  /// Whether a target is kept when the number of peers exceeds the full mesh: a discovered peer that was not invited yet is
  /// dropped if it is not wanted any longer.
  private func isStillWanted(_ target: Target) -> Bool {
    guard target.isDiscovered, target.isPending, let identity = target.identity else { return true }
    return wants(identity)
  }

  /// The announcement of the peer with `identity` by `name` was withdrawn. A session with the peer is not affected.
  ///
  /// - Parameter isInSession: whether a peer is in session already.
  public mutating func withdrawn(_ identity: Identity, as name: String, isInSession: (Identity) -> Bool, now: Instant) {
    targets.removeAll { $0.reason == .discovered(identity, as: name) }
    guard announcements[identity]?.name == name else { return schedule() }
    announcements[identity] = nil
    lowest = Array(announcements.keys.sorted().prefix(2))
    reconsider(isInSession: isInSession, at: now)
  }

  /// The peer with `identity` is the master.
  mutating func follow(master identity: Identity, isInSession: (Identity) -> Bool, at now: Instant) {
    guard master != identity else { return }
    master = identity
    if announcements.count > Self.fullMeshLimit { reconsider(isInSession: isInSession, at: now) }
  }

  /// Connects to all peers that are wanted now. Established sessions are not ended, because a peer may depend on them.
  private mutating func reconsider(isInSession: (Identity) -> Bool, at now: Instant) {
    defer { schedule() }
    let known = Set(targets.compactMap(\.identity))
    for identity in announcements.keys.filter({ !known.contains($0) && wants($0) }).sorted() {
      add(identity, isInSession: isInSession(identity), at: now)
    }
  }

  /// Adds a target for an announced peer. If the local identity is the higher one, the invitation follows after
  /// ``courtesy``.
  private mutating func add(_ identity: Identity, isInSession: Bool, at now: Instant) {
    guard let announcement = announcements[identity] else { return }
    var target = Target(
      announcement.place, reason: .discovered(identity, as: announcement.name), at: now,
      firstTry: local < identity ? now : now + Self.courtesy)
    target.identity = identity
    if isInSession { (target.reachedBy, target.isEstablished) = (identity, true) }
    targets.append(target)
  }
}
