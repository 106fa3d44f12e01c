public import RTPMIDI

/// Checks the tags of the datagrams of a session with a passkey (``DatagramSealer``).
///
/// A datagram is accepted once, only on the port for which it was sent, and only if it was sent at most a second before the newest
/// datagram of the session.
public struct DatagramOpener: Sendable, BitwiseCopyable {
  /// The greatest accepted age of a datagram, relative to the newest datagram, in sixteenths of a second.
  private static var greatestAge: Int { @_noLocks @_noAllocation get { 16 } }

  private let key: TagKey
  /// The received datagram numbers, one window for each sending thread.
  private var windows = InlineArray<3, ReplayWindow>(repeating: ReplayWindow())
  /// The accepted counter with the latest time; nil before the first datagram.
  private var newest: TagCounter?

  /// Creates an opener for the datagrams that the remote peer sends in the session with `keys`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ keys: SessionKeys) { key = keys.receiving }

  /// Checks a datagram.
  ///
  /// - Parameter port: the local port at which it has arrived.
  /// - Returns: the number of octets of its content; nil if the datagram must be dropped.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func open(_ datagram: borrowing Span<UInt8>, port: Port) -> Int? {
    let count = datagram.count - DatagramSealer.length
    guard count > 0 else { return nil }
    let counter = TagCounter(bits: datagram.uint64(at: count))
    guard counter.thread < windows.count, windows[counter.thread].admits(counter.number) else { return nil }
    var hash = SipHash(key: key)
    hash.append(datagram, upTo: count)
    hash.append(counter, port)
    guard hash.finish() == datagram.uint64(at: count + 8) else { return nil }
    if let newest {
      let age = counter.age(relativeTo: newest)
      guard age <= Self.greatestAge else { return nil }
      // A negative age means that this datagram was sent after `newest`.
      if age < 0 { self.newest = counter }
    } else {
      newest = counter
    }
    windows[counter.thread].record(counter.number)
    return count
  }
}
