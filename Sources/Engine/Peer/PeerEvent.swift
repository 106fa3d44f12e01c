public import Ensemble
public import MIDI
public import MusicalTime
public import PeerProtocol
public import RTPMIDI
import Transports

/// Something that came about between this peer and others, for whoever watches it.
public struct PeerEvent: Sendable {
  public enum Kind: Sendable {
    /// The peer is in session, and known to be a Tutti peer or none.
    case joined(Who)
    /// Its session is over.
    case left(Who)
    /// This peer is now master, follower or idle.
    case role(Role)
    /// The rhythm of this one goes on here: this peer is the master in its place.
    case tookOver(from: Who)
    /// It offers the rhythm.
    case offered(by: Who)
    /// This peer's MIDI channel, 1...16; nil: there is none left.
    case channel(Int?)
    /// What everybody's activity comes to, 0...127.
    case total(UInt8)
    /// A note, a controller or its like sounds here; nil: the player's own.
    case sounded(Message, from: Who?)
    /// Who is in session, and the weights of the connections.
    case company([CompanyEntry])
  }

  /// Another peer.
  public struct Who: Hashable, Sendable {
    /// What it calls itself; nil when it does not say.
    public var name: String?
    /// Where its control port is; nil while it is not in session.
    public var address: SocketAddress?
    /// Nil: it is no Tutti peer.
    public var identity: Identity?
  }

  public let kind: Kind
  /// When it came about, in CLOCK_MONOTONIC.
  public let at: Instant
}

/// One of those in session, as the player sees it.
public struct CompanyEntry: Hashable, Sendable {
  public var who: PeerEvent.Who
  /// Its MIDI channel, 1...16, if it has one.
  public var channel: Int?
  /// The weights of the connections with it, nil where it is no Tutti peer.
  public var weights: Ensemble.Weights?
}
