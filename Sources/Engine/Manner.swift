public import MusicalTime
import Transports

/// How one peer is treated where that is not left to what the peer shows of itself: a Tutti peer gets each tick ahead of its
/// time and a journal; another gets it at its moment, and a journal once it has sent one (design section 5).
public struct Manner: Sendable, Equatable {
  /// Whether it plays by time stamps rather than on arrival; nil: as a Tutti peer does and others do not.
  public var playsByStamps: Bool?
  /// Whether it gets the recovery journal; nil: as it does itself.
  public var takesJournal: Bool?
  /// How much longer the way to it takes than the way back, which no clock can tell; nil: equally long.
  public var asymmetry: Nanoseconds?

  public init(playsByStamps: Bool? = nil, takesJournal: Bool? = nil, asymmetry: Nanoseconds? = nil) {
    self.playsByStamps = playsByStamps
    self.takesJournal = takesJournal
    self.asymmetry = asymmetry
  }
}

/// The manners that the player has set, for peers known by name or by address.
public struct Manners: Sendable {
  private var byPeer: [String: Manner] = [:]

  public init() {}

  /// Sets the manner for `peer`: what it calls itself, or `HOST` or `HOST:PORT` in numbers, an IPv6 address as it may
  /// be written.
  public subscript(peer: String) -> Manner {
    get { byPeer[SocketAddress.canonical(peer)] ?? Manner() }
    set { byPeer[SocketAddress.canonical(peer)] = newValue }
  }

  /// The manner for the peer that calls itself `name` at `address`: what its name says goes before its port, and that before
  /// its host.
  func manner(for name: String?, at address: SocketAddress) -> Manner {
    var manner = Manner()
    for key in [address.hostDescription, address.description, name].compactMap({ $0 }) {
      guard let set = byPeer[key] else { continue }
      manner.playsByStamps = set.playsByStamps ?? manner.playsByStamps
      manner.takesJournal = set.takesJournal ?? manner.takesJournal
      manner.asymmetry = set.asymmetry ?? manner.asymmetry
    }
    return manner
  }
}
