public import MIDI
public import RTPMIDI

/// What a member has to tell its player, or whoever watches it.
public enum MemberNews<Address: PeerAddress>: Sendable {
  /// A session stands; whether with a Tutti peer is not known yet.
  case met(Partner<Address>)
  /// A session that stood is over.
  case parted(Partner<Address>)
  /// It is known now whether the peer is a Tutti peer.
  case joined(Partner<Address>)
  /// One that had joined is there no more.
  case left(Partner<Address>)
  /// It answered NO; whether it is invited again.
  case refused(String?, at: Address, isSought: Bool)
  /// The invitation came back to this peer itself.
  case reflected(Address)
  /// It has the identity of this peer.
  case isCopy(Partner<Address>)
  /// Its invitation was answered NO, by policy.
  case declined(String?, at: Address)
  /// Nothing has come back from there for long.
  case unanswered(Address)

  /// What the outside clock of this name does.
  case outsideClock(String, OutsideClock.Event)
  case outsideClockIsBack(String)
  case outsideClockIsGone(String)
  /// It turns out to be a Tutti peer, which is followed anyway.
  case outsideClockIsTutti(String)
  /// One that is no Tutti peer sends a clock that nobody was asked to keep.
  case strangeClock(Partner<Address>)

  case role(Role)
  case outranked(by: Identity)
  case handedOver(to: Identity)
  case masterLost(Identity)
  case doubt(Identity, Misgiving)
  case offered(by: Identity)
  case tookOver(from: Identity)
  case channel(Channel?)
}
