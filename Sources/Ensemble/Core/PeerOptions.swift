public import MusicalTime

/// Options of one peer that override the default for its kind. By default, a Tutti peer gets each tick ahead of time, and a
/// recovery journal. A standard device gets each tick at its due time, and a journal once it has sent one.
public struct PeerOptions: Sendable, Equatable {
  /// Whether the peer is a time-stamp receiver; nil: a Tutti peer is one, a standard device is not.
  public var playsByStamps: Bool?
  /// Whether the peer gets the recovery journal; nil: a Tutti peer does, a standard device if it has sent one.
  public var takesJournal: Bool?
  /// The delay to the peer minus the delay back, which cannot be measured; nil: the delays are equal.
  public var asymmetry: Nanoseconds?

  public init(playsByStamps: Bool? = nil, takesJournal: Bool? = nil, asymmetry: Nanoseconds? = nil) {
    self.playsByStamps = playsByStamps
    self.takesJournal = takesJournal
    self.asymmetry = asymmetry
  }
}
