public import MusicalTime

/// How one peer is treated where that is not left to what the peer shows of itself: a Tutti peer gets each tick ahead of its
/// time and a journal; another gets it at its moment, and a journal once it has sent one (design section 5).
public struct PeerOptions: Sendable, Equatable {
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
