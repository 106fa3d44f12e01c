/// A problem with a remote peer. The rhythm continues. The player is informed once per peer and problem.
public enum PeerWarning: Hashable, Sendable {
  /// Time stamps of the peer are implausible, for example because a packet arrived before it was sent. These stamps are not used.
  case implausibleStamps
  /// Replies of the peer to clock measurements answer no packet, or arrive twice. These replies are not used.
  case unsolicitedReplies
  /// The peer's clock was stepped, or its rate changed.
  case clockStepped
  /// The peer's clock and the local clock diverge faster than crystals do. The operating system slews one of the two.
  case clockIsSlewed
  /// The peer sends messages that cannot be decoded, for example with a tempo out of range or an unknown version.
  case isUnreadable
  /// The peer changes its MIDI channel too often. Its channel claims are ignored until it has kept its channel for ten
  /// seconds.
  case changesChannelTooOften
  /// The peer claimed the rhythm and was not heard for ``EnsembleState/silence``, or leads no longer. Its claim counts no longer, so the
  /// local peer follows a lower claim.
  case claimHasExpired
  /// Another device uses the identity of the peer. While the peer is heard, the sessions of the other device are closed.
  case identityIsUsedTwice
}
