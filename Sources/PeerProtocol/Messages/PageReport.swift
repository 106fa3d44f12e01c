public import MusicalTime

/// What a peer reports about its web page, on which players play with phones and laptops.
///
/// Real-time: not safe.
public struct PageReport: Hashable, Sendable {
  /// The largest ``delay`` that a peer reports.
  public static var maximumDelay: Nanoseconds { .milliseconds(400) }
  /// ``delay`` is a multiple of this time, so that small changes of the delay rarely cause a new presence.
  static var unit: Nanoseconds { .milliseconds(10) }

  /// The TCP port to which the pages of the other peers of the group may move if their own peer disappears; nil if they may not.
  public var port: UInt16?
  /// The time from a change of the rhythm at the peer until the change is audible on the slowest phone or laptop that shows the page
  /// of the peer, 0...400 ms. Zero if nobody plays on the page.
  public private(set) var delay: Nanoseconds

  /// - Parameters:
  ///   - port: see ``port``. 0 is no valid port, and counts as nil.
  ///   - delay: see ``delay``. It is rounded up to a multiple of 10 ms. A longer delay counts as 400 ms, a negative one as zero.
  public init(port: UInt16? = nil, delay: Nanoseconds = .zero) {
    self.port = port == 0 ? nil : port
    let units = (min(max(delay, .zero), Self.maximumDelay).count + Self.unit.count - 1) / Self.unit.count
    self.delay = Nanoseconds(units * Self.unit.count)
  }
}
