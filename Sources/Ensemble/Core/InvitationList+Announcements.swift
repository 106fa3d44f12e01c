public import MusicalTime
public import PeerProtocol

/// The peers that announce themselves on the network by DNS-SD, and the choice of the announced peers to connect to.
///
/// Up to sixteen peers all connect to each other, because each of them may become the master. A thousand peers cannot. If there are
/// more than sixteen, all peers connect to the two peers with the lowest identities and to the master. These peers are then in session
/// with all others, so all peers learn from their presences (``Presence``) which rhythm plays. One of them succeeds the master if the
/// master is lost: the peer with the lowest identity that is not the master. So the successor is already in session with all others. Each
/// peer computes the two lowest identities from the announcements, without a coordinator.
///
/// An announced peer is *wanted* if the local peer should connect to it. An announcement does not prove that its peer can be
/// reached: a killed peer stays announced for some time, and any program can send announcements. Peers that do not answer
/// (``silent``) therefore count neither among the two lowest identities nor for the limit of sixteen. For each silent peer whose
/// identity is below the second lowest identity that counts, one more peer is wanted, up to 64 in total. For example, two peers are
/// wanted. If both are silent, the next two take their place as the lowest identities that count, and two more are wanted: four. If these
/// are silent too, there are six silent peers, and eight peers are wanted.
extension InvitationList {
  /// The newest announcement of a peer.
  struct Announcement: Sendable {
    /// The name by which the peer announces itself.
    let name: String
    let place: Place
  }

  /// Whether the local peer should connect to the announced peer with `identity`.
  func wants(_ identity: Identity) -> Bool {
    guard let highestWanted else { return true }
    if identity == master || local == master { return true }
    // If the local identity is below the second lowest identity of the other peers, the local identity is one of the two lowest of all
    // peers. The local peer then connects to all peers.
    return local < responsive[1] || identity <= highestWanted
  }

  /// Adds an announced peer to ``responsive``, or removes the peer from this array.
  private mutating func setResponsive(_ identity: Identity, _ isResponsive: Bool) {
    var (low, high) = (0, responsive.count)
    while low < high {
      let middle = (low + high) / 2
      if responsive[middle] < identity { low = middle + 1 } else { high = middle }
    }
    let isPresent = low < responsive.count && responsive[low] == identity
    guard isPresent != isResponsive else { return }
    if isResponsive { responsive.insert(identity, at: low) } else { responsive.remove(at: low) }
  }

  /// Updates ``highestWanted`` after a change of ``responsive`` or ``silent``, and drops targets that are no longer wanted.
  private mutating func updateWanted() {
    let former = highestWanted
    highestWanted = nil
    if responsive.count > Self.fullMeshLimit {
      let silentBelow = silent.count { $0 < responsive[1] }
      highestWanted = responsive[min(1 + silentBelow, Self.simultaneousLimit - 1, responsive.count - 1)]
    }
    if highestWanted != former { targets = targets.filter(isStillWanted) }
  }

  /// Records that the announced peer does not answer or refuses. Other peers are wanted in its place.
  mutating func noteSilence(of identity: Identity) {
    guard announcements[identity] != nil, silent.insert(identity).inserted else { return }
    // Without a highest wanted identity, all other peers are wanted already.
    if highestWanted != nil { hasNewlySilent = true }
    setResponsive(identity, false)
    updateWanted()
  }

  /// Records that the peer with `identity` is in session, or is announced at another place.
  mutating func noteAnswer(of identity: Identity) {
    guard silent.remove(identity) != nil else { return }
    setResponsive(identity, true)
    updateWanted()
  }

  /// Handles an announcement of the peer with `identity` at `place`. The announcement replaces an earlier announcement of the same
  /// peer: a peer whose first name is already in use announces a second name, one second before it withdraws the first announcement.
  ///
  /// - Parameters:
  ///   - name: the name of the announcement.
  ///   - isInSession: whether the peer is in session already.
  /// - Returns: false if the announcement was dropped, because there are ``announcementLimit`` others and no announced peer is silent.
  public mutating func found(
    _ identity: Identity, as name: String, at place: Place, isInSession: Bool, now: Instant
  ) -> Bool {
    // A configured peer is invited without an announcement.
    guard !targets.contains(where: { $0.place.control == place.control && $0.reason == .configured }) else {
      return true
    }
    if announcements[identity] == nil, announcements.count >= Self.announcementLimit {
      // The announcement of a silent peer is removed to make room.
      guard let former = silent.min() else { return false }
      forget(former)
    }
    defer { schedule() }
    if let former = announcements.updateValue(Announcement(name: name, place: place), forKey: identity) {
      // The new announcement replaces the target of the previous one.
      targets.removeAll { $0.announced == identity }
      if isInSession || former.place != place { noteAnswer(of: identity) }
    } else {
      setResponsive(identity, true)
      updateWanted()
    }
    if wants(identity) { add(identity, isInSession: isInSession, at: now) }
    return true
  }

  /// Whether a target is kept after a change of ``highestWanted``. A target is dropped if it is a discovered peer that is no longer wanted,
  /// has no session and is not being invited.
  private func isStillWanted(_ target: Target) -> Bool {
    guard let identity = target.announced, target.isPending else { return true }
    return wants(identity)
  }

  /// Handles the withdrawal of the announcement in which the peer with `identity` had the name `name`. If there is a session with the
  /// peer, the session continues.
  ///
  /// - Parameter isInSession: returns whether a peer is in session already.
  public mutating func withdrawn(_ identity: Identity, as name: String, isInSession: (Identity) -> Bool, now: Instant) {
    targets.removeAll { $0.reason == .discovered(identity, as: name) }
    guard announcements[identity]?.name == name else { return schedule() }
    forget(identity)
    reconsider(isInSession: isInSession, at: now)
  }

  /// Removes the announcement of a peer and its target.
  private mutating func forget(_ identity: Identity) {
    announcements[identity] = nil
    targets.removeAll { $0.announced == identity }
    silent.remove(identity)
    setResponsive(identity, false)
    updateWanted()
  }

  /// Records that the peer with `identity` is the master.
  mutating func follow(master identity: Identity, isInSession: (Identity) -> Bool, at now: Instant) {
    guard master != identity else { return }
    master = identity
    if highestWanted != nil { reconsider(isInSession: isInSession, at: now) }
  }

  /// Adds a target for each wanted peer that has none. Established sessions with peers that are no longer wanted continue,
  /// because the remote peer may need them.
  mutating func reconsider(
    isInSession: (Identity) -> Bool, at now: Instant, courtesy: Nanoseconds = InvitationList.courtesy
  ) {
    defer { schedule() }
    let known = Set(targets.compactMap(\.announced))
    for identity in responsive where !known.contains(identity) && wants(identity) {
      add(identity, isInSession: isInSession(identity), at: now, courtesy: courtesy)
    }
  }

  /// Adds a target for an announced peer. If the local identity is higher than the announced one, the local peer first waits for an
  /// invitation from the announced peer, for the time `courtesy`.
  private mutating func add(
    _ identity: Identity, isInSession: Bool, at now: Instant, courtesy: Nanoseconds = InvitationList.courtesy
  ) {
    guard let announcement = announcements[identity] else { return }
    var target = Target(
      announcement.place, reason: .discovered(identity, as: announcement.name), at: now,
      firstTry: local < identity ? now : now + courtesy)
    target.identity = identity
    if isInSession { (target.reachedBy, target.isEstablished, target.isAnswered) = (identity, true, true) }
    targets.append(target)
  }
}
