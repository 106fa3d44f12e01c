import MusicalTime

/// One tick of a trace: the instant at which the tick was due, the instant at which the peer processed the tick, and the peer's
/// estimate of the offset of the master's clock.
public struct TraceTick: Hashable, Sendable, BitwiseCopyable {
  /// The tick.
  public var tick: Tick
  /// The due instant, in local time of the peer.
  public var due: Instant
  /// The instant at which the clock thread of the peer processed the tick, in local time of the peer. It is taken directly before the
  /// tick is written to the ALSA port.
  public var acted: Instant
  /// The estimated offset of the master's clock from the local clock of the peer; nil at the master, and without an estimate.
  public var offset: Nanoseconds?
  /// The estimated uncertainty of ``offset``; nil at the master, and without an estimate.
  public var uncertainty: Nanoseconds?
  /// The intensity at the tick, 0...127: the total activity that selects the layers. Nil in the traces of earlier versions.
  public var activity: UInt8?
  /// The instants of the tick on its way.
  public var path: TickPath

  /// Creates a tick.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    tick: Tick, due: Instant, acted: Instant, offset: Nanoseconds? = nil, uncertainty: Nanoseconds? = nil,
    activity: UInt8? = nil, path: TickPath = TickPath()
  ) {
    (self.tick, self.due, self.acted, self.activity, self.path) = (tick, due, acted, activity, path)
    (self.offset, self.uncertainty) = (offset, uncertainty)
  }

  /// The maximum magnitude of an instant, a duration or a clock offset in a trace: 2^61 - 1 ns or 73 years. The difference of
  /// two such instants, minus the difference of two such clock offsets, fits into `Int64`.
  static let limit: Int64 = (1 << 61) - 1

  /// The tick as a line with a newline. A missing offset or uncertainty is null. Other missing values are omitted.
  var line: String {
    func text(_ value: Int64?) -> String { value.map { "\($0)" } ?? "null" }
    let path: KeyValuePairs<String, Instant?> = [
      "woken": path.woken, "sent": path.sent, "sent_ahead": path.sentAhead, "master_sent": path.masterSent,
      "received": path.received,
    ]
    let instants = path.compactMap { key, instant in instant.map { ",\"\(key)\":\($0.nanoseconds)" } }.joined()
    return "{\"tick\":\(tick.index),\"due\":\(due.nanoseconds),\"acted\":\(acted.nanoseconds),"
      + "\"offset\":\(text(offset?.count)),\"uncertainty\":\(text(uncertainty?.count))"
      + (activity.map { ",\"activity\":\($0)" } ?? "") + instants + "}\n"
  }
}

/// The instants of a tick on its way through the threads and the network. An instant is nil if its event did not occur or was not
/// recorded. All instants are in local time, except ``masterSent``.
public struct TickPath: Hashable, Sendable, BitwiseCopyable {
  /// The instant at which the clock thread, after its wake-up, found that the tick was due.
  public var woken: Instant?
  /// For a play-on-arrival receiver, which gets the tick when it is due: the instant immediately before the first packet with the
  /// tick was passed to the kernel.
  public var sent: Instant?
  /// For a time-stamp receiver, which gets the tick ahead of time: the instant immediately before the first packet with the tick was
  /// passed to the kernel.
  public var sentAhead: Instant?
  /// At a follower: the send instant that the first received packet with the tick carries, by the master's clock.
  public var masterSent: Instant?
  /// At a follower: the instant at which this packet arrived, from the kernel's time stamp of the packet.
  public var received: Instant?

  /// Creates a path.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    woken: Instant? = nil, sent: Instant? = nil, sentAhead: Instant? = nil, masterSent: Instant? = nil,
    received: Instant? = nil
  ) {
    (self.woken, self.sent, self.sentAhead) = (woken, sent, sentAhead)
    (self.masterSent, self.received) = (masterSent, received)
  }
}
