public import MIDI
import PeerProtocol
public import RTPMIDI

/// What a core has to tell its player, or whoever watches it.
public enum PeerCoreEvent: Sendable {
  /// A session stands; whether with a Tutti peer is not known yet.
  case met(Partner)
  /// A session that stood is over.
  case parted(Partner)
  /// It is known now whether the peer is a Tutti peer.
  case joined(Partner)
  /// One that had joined is there no more.
  case left(Partner)
  /// It answered NO; whether it is invited again.
  case refused(String?, at: SocketAddress, isSought: Bool)
  /// The invitation came back to this peer itself.
  case reflected(SocketAddress)
  /// It has the identity of this peer.
  case isCopy(Partner)
  /// Its invitation was answered NO, by policy.
  case declined(String?, at: SocketAddress)
  /// Nothing has come back from there for long.
  case unanswered(SocketAddress)

  /// What the outside clock of this name does.
  case outsideClock(String, OutsideClock.Event)
  case outsideClockIsBack(String)
  case outsideClockIsGone(String)
  /// It turns out to be a Tutti peer, which is followed anyway.
  case outsideClockIsTutti(String)
  /// One that is no Tutti peer sends a clock that nobody was asked to keep.
  case strangeClock(Partner)

  case role(Role)
  case outranked(by: Identity)
  case handedOver(to: Identity)
  case masterLost(Identity)
  case doubt(Identity, PeerWarning)
  case offered(by: Identity)
  case tookOver(from: Identity)
  case channel(Channel?)
}
