import MusicalTime
public import PeerProtocol

// How followers receive the patch of the master, the text that describes its rhythm.
//
// Each peer reports the digest of its patch in its presence. If the patch of the master differs from the patch of a follower, the
// follower requests the text of the master's patch, part by part (``PatchReception``). The engine of the follower checks the text and
// plays the patch from the next bar on. All peers with the same patch and the same total activity play the same steps.
extension EnsembleState {
  /// Whether the local peer plays the patch of its master instead of its own. True at first.
  public var followsPatch: Bool {
    get { patches.followsMaster }
    set { patches.followsMaster = newValue }
  }

  /// The digest of the patch that the local peer plays; nil if it is unknown or too long to be shared.
  public var patchDigest: PatchDigest? { patches.played?.digest }

  /// Whether the local player may choose a patch. False while the local peer plays or receives the patch that its master shares.
  public var choosesPatch: Bool {
    guard patches.followsMaster, let digest = masterPatch else { return true }
    return patches.refused.contains(digest)
  }

  /// The digest of the patch that the master of the local peer plays; nil if there is none, or if the master does not share it.
  public var masterPatch: PatchDigest? { role.master.flatMap { reportedDigest(of: $0) } }

  /// Sets the text of the patch that the local peer plays from now on; nil if the text is too long to be shared. The next presence
  /// reports the patch to the other peers.
  public mutating func play(_ patch: SharedPatch?) {
    patches.played = patch
    if let reception = patches.reception, reception.digest == patch?.digest { patches.reception = nil }
  }

  /// Records that the received patch with this digest cannot be played. It is not requested again.
  public mutating func refuse(_ digest: PatchDigest) {
    if patches.refused.count == 8 { patches.refused.removeFirst() }
    patches.refused.append(digest)
    if patches.reception?.digest == digest { patches.reception = nil }
  }

  /// The digest of the patch that a peer has reported last.
  private func reportedDigest(of peer: Identity) -> PatchDigest? {
    roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.patch }
  }

  /// When ``advancePatches(to:)`` has something to do next.
  var patchDeadline: Instant { patches.reception?.nextRequest ?? .distantFuture }

  /// Requests missing parts of the patch of the master, and ends the reception if the local peer does not follow this master any
  /// longer.
  mutating func advancePatches(to now: Instant) {
    guard let reception = patches.reception else { return }
    guard role == .follower(of: reception.master), patches.followsMaster else {
      patches.reception = nil
      return
    }
    if let request = patches.reception!.takeRequest(at: now) {
      emit(.send(.patchRequest(request), to: reception.master, isNews: false))
    }
  }

  /// Handles the digest of the patch of the peer with identity `sender`. If this peer is the master, and its patch differs from the
  /// local patch, begins to receive the master's patch.
  mutating func heardPatch(_ digest: PatchDigest?, from sender: Identity, at now: Instant) {
    guard role == .follower(of: sender), patches.followsMaster else { return }
    if let reception = patches.reception, reception.digest != digest || reception.master != sender {
      patches.reception = nil
    }
    guard let digest, digest != patches.played?.digest, !patches.refused.contains(digest), patches.reception == nil,
      now >= patches.lastBeginning + PatchSharing.pause
    else { return }
    patches.lastBeginning = now
    patches.reception = PatchReception(digest, from: sender, at: now)
    advancePatches(to: now)
  }

  /// Sends parts of the local patch to the peer with identity `sender`, which has requested them.
  mutating func received(_ request: PatchRequest, from sender: Identity, at now: Instant) {
    guard let slot = roster.memberSlot(of: sender) else {
      rejected += 1
      return
    }
    heard(slot, sender, at: now)
    // Only followers get the patch. The rate for each follower is limited, so that one follower does not take the share of the others.
    guard role == .master, roster[slot].membership?.presence?.claim == claim,
      now >= roster[slot].membership!.nextPatchRequest
    else { return }
    roster[slot].membership!.nextPatchRequest = now + PatchSharing.requestInterval
    for index in patches.parts(for: request, at: now) {
      emit(.send(.patchPart(patches.played!.part(index)), to: sender, isNews: false))
    }
  }

  /// Adds a part to the patch that the local peer receives. Drops a part that the local peer has not requested.
  mutating func received(_ part: PatchPart, from sender: Identity, at now: Instant) {
    heard(sender, at: now)
    guard let reception = patches.reception, reception.master == sender, role == .follower(of: sender),
      let octets = patches.reception!.add(part, at: now)
    else { return advancePatches(to: now) }
    guard let patch = SharedPatch(octets), patch.digest == reception.digest else {
      rejected += 1
      return refuse(reception.digest)
    }
    emit(.event(.patchReceived(patch, from: sender)))
  }
}
