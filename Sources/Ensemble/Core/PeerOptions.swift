public import MusicalTime

/// The options of one peer, which override the defaults for its kind. By default, a Tutti peer gets each tick ahead of time, and
/// packets with a recovery journal. A standard device gets each tick at its due time, and recovery journals only after it has
/// sent one itself.
public struct PeerOptions: Sendable, Equatable {
  /// Whether the peer is a time-stamp receiver; nil: the default of its kind.
  public var playsByStamps: Bool?
  /// Whether the peer gets recovery journals; nil: the default of its kind.
  public var takesJournal: Bool?
  /// The delay to the peer minus the delay back; nil: the delays count as equal. This difference cannot be measured.
  public var asymmetry: Nanoseconds?
  /// How much later the messages of the clock are for a standard device, in nanoseconds; negative: earlier; nil: no offset.
  public var clockOffset: Nanoseconds?

  public init(
    playsByStamps: Bool? = nil, takesJournal: Bool? = nil, asymmetry: Nanoseconds? = nil,
    clockOffset: Nanoseconds? = nil
  ) {
    self.playsByStamps = playsByStamps
    self.takesJournal = takesJournal
    self.asymmetry = asymmetry
    self.clockOffset = clockOffset
  }
}
