public import MusicalTime
public import RTPMIDI

/// A received UDP datagram. It is a trivial value, so that it can pass through a ring.
public struct Datagram: Sendable, BitwiseCopyable {
  /// The maximum length in octets: the UDP payload of an Ethernet frame with IPv4 (1500 - 20 - 8). The contents of a
  /// longer datagram are not used.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 1472 } }

  /// The port that received the datagram.
  public enum Port: UInt8, Sendable, BitwiseCopyable { case control, data }

  /// The octets. Only the first ``count`` are valid.
  public internal(set) var octets = InlineArray<1472, UInt8>(repeating: 0)
  /// The number of octets, 0...1472.
  public internal(set) var count = 0
  /// The sender.
  public internal(set) var from = SocketAddress(host: 0, port: 0)
  /// The local address to which the datagram was sent; :: if it is unknown. Replies leave from this address.
  public internal(set) var to = SocketAddress(host: 0, port: 0)
  /// The arrival instant, by the kernel's time stamp.
  public internal(set) var at = Instant(nanoseconds: 0)
  /// The port that received the datagram.
  public internal(set) var port = Port.control
  /// The instant at which the receiving thread sent a reply to this datagram, or nil if it sent none.
  public var answeredAt: Instant?

  /// Whether the receiving thread has found the datagram authentic: see ``removeTag(contentCount:)``.
  public internal(set) var isAuthentic = false

  /// Records that the datagram is authentic, and removes the tag: only the first `count` octets remain.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func removeTag(contentCount count: Int) { (self.count, isAuthentic) = (min(count, self.count), true) }

  /// Creates an empty datagram.
  ///
  /// Real-time: not safe.
  public init() {}
}

extension PortPair {
  /// Receives one datagram from `port` without blocking. A datagram longer than ``Datagram/capacity`` is reported with a
  /// ``Datagram/count`` of 0.
  ///
  /// - Returns: whether a datagram was received.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive(on port: Datagram.Port, into datagram: inout Datagram) -> Bool {
    let socket = port == .control ? control : data
    // Invariant: the pointer covers the whole inline array and is used only during the call.
    let arrival = withUnsafeMutablePointer(to: &datagram.octets) {
      socket.receive(into: UnsafeMutableRawPointer($0), room: Datagram.capacity)
    }
    guard let arrival else { return false }
    datagram.count = arrival.length <= Datagram.capacity ? arrival.length : 0
    datagram.from = arrival.from
    datagram.to = arrival.to
    datagram.at = arrival.at
    datagram.port = port
    datagram.answeredAt = nil
    datagram.isAuthentic = false
    return true
  }
}
