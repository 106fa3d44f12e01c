public import MIDI
public import PeerProtocol
public import RTPMIDI
public import Rhythm

/// An event that the engine can report to the user, for example in the log or on the web page.
public enum Event: Hashable, Sendable {
  // MARK: Sessions

  /// A session was established. Whether the peer is a Tutti peer is not known yet.
  case connected(PeerReference)
  /// A session has ended.
  case disconnected(PeerReference)
  /// The peer is known to be a Tutti peer (it has an identity) or a standard device.
  case joined(PeerReference)
  /// A peer that had joined has left.
  case left(PeerReference)
  /// The peer cannot be reached directly. The member `relay` forwards its messages.
  case reachedThrough(Identity, relay: Identity)
  /// The peer refused the invitation. If `isRetried` is true, the local peer invites it again.
  case invitationRefused(by: String?, at: SocketAddress, isRetried: Bool)
  /// Only one of the two peers requires a passkey for the session: the invited peer (`hasPasskey` is true) or the local peer (false).
  case passkeyDiffers(at: SocketAddress, hasPasskey: Bool)
  /// An invitation of the local peer has come back to the local peer, for example because the configured address is its own.
  case invitationReflected(at: SocketAddress)
  /// The remote peer reports the same identity as the local peer.
  case identityIsDuplicate(PeerReference)
  /// A peer reports that another machine uses the identity of the local peer.
  case identityIsUsed(reportedBy: PeerReference)
  /// The local peer declined the invitation of a peer.
  case invitationDeclined(of: String?, at: SocketAddress, DeclineReason)
  /// No reply to invitations has come from this address for ``InvitationList/patience``.
  case noReply(from: SocketAddress)

  // MARK: External clocks

  /// An event of the external clock with this name.
  case externalClock(String, ClockArbiter.Event)
  /// A standard device sends a clock that is not used.
  case clockIsUnused(PeerReference)
  /// A peer uses another version of the protocol between Tutti peers, a newer or an older one. It counts as a standard device.
  case hasOtherVersion(PeerReference, isNewer: Bool)

  // MARK: Rhythm

  /// The role of the local peer has changed.
  case role(Role)
  /// The claim of another peer outranks the claim of the local peer, which was the master.
  case outranked(by: Identity, OutrankingCause)
  /// The peer has accepted the offer of the rhythm and is the master now.
  case handedOver(to: Identity)
  /// The master was silent for too long and no peer took over: the rhythm ended.
  case masterLost(Identity)
  /// A problem with a peer, reported once per peer and problem.
  case warning(Identity, PeerWarning)
  /// A problem with a device without Tutti, or with a peer that is not recognised yet; reported once per device and problem.
  case deviceWarning(PeerReference, PeerWarning)
  /// The master offers the rhythm: see ``EnsembleState/take(at:)``.
  case offered(by: Identity)
  /// This follower has begun to ask the local peer, which is the master, to offer it the rhythm.
  case asksToLead(Identity)
  /// The local peer has taken over the rhythm of this peer, in phase.
  case tookOver(from: Identity)
  /// A document has arrived from this peer: a rhythm that another peer plays or has selected. It is not checked yet.
  case documentReceived(Document, from: Identity)
  /// While the local peer is the master: whether this follower plays the rhythm.
  case rhythmOfPeer(Identity, RhythmOfPeer)
  /// True: the master has muted the local player, or all players. False: the local player can be heard again.
  case muted(Bool)
  /// The MIDI channel of the local peer; nil if none is left.
  case channel(Channel?)

  /// A page or a device of the local peer has continued at another peer, so that it is no player of the local peer any longer.
  case playerMoved(Identity)
  /// While the local peer is idle, a member reports a later run than the local peer knew: ``EnsembleState/lastRun``.
  case lastRun(LastRun)

  // MARK: Playing together

  /// The peer has changed the sound of the local player's instrument. Reported once per session.
  case shaped(by: PeerReference)
  /// A player has sent a phrase to a player of the local peer.
  case phraseReceived(Phrase, from: Identity, to: Identity)

  /// A remote peer, or the programs and devices at the local peer (nil), have sent too many messages at once. This number of them was
  /// dropped: ``Receiving/InputLimit``.
  case messagesRefused(from: PeerReference?, count: Int64)

  /// A standard device does not answer any more. The notes that it held have ended, and its session may still last.
  case heldNotesEnded(of: PeerReference)

  // MARK: Observation of a running peer

  /// The total activity, 0...127.
  case total(UInt8)
  /// A note or controller of a remote peer that the gates admit, or of the local player (nil). A note of a remote Tutti peer sounds at
  /// the local peer only if the local player has chosen to hear the remote player (``HearingChoices``).
  case sounded(Message, from: PeerReference?)
  /// The players of all peers, or their energies, have changed.
  case players([PlayerStatus])
  /// The roster, or the weight of a connection, has changed.
  case roster([RosterEntry])
  /// A file of the local peer cannot be written, for this reason.
  case fileFailed(PeerFile, reason: String)
}

/// A file that a running peer writes.
public enum PeerFile: String, Hashable, Sendable, CaseIterable {
  /// The recording of the sound.
  case wav
  /// The recording of what is played.
  case midi
  case trace
  /// The state for a restart.
  case state
}

/// Whether a follower plays the rhythm of its master.
public enum RhythmOfPeer: Hashable, Sendable {
  /// The follower does not have the rhythm yet, and is silent.
  case missing
  /// The follower has received the rhythm, and enters at its next bar.
  case arrived
  /// The follower cannot play the rhythm, and plays its own.
  case refused
}
