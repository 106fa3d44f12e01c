public import MusicalTime
public import RTPMIDI

/// One datagram as it came from the network, in a trivial value that travels by ring.
public struct Datagram: Sendable, BitwiseCopyable {
  /// The longest datagram taken: what fits an Ethernet frame. A longer one is nobody's MIDI.
  public static var room: Int { @_noLocks @_noAllocation get { 1472 } }

  /// Which of the two ports it came to.
  public enum Port: UInt8, Sendable, BitwiseCopyable { case control, data }

  /// Its octets are the first ``count`` of these.
  public internal(set) var octets = InlineArray<1472, UInt8>(repeating: 0)
  /// How many octets it has.
  public internal(set) var count = 0
  public internal(set) var from = SocketAddress(host: 0, port: 0)
  /// When the kernel took it from the network.
  public internal(set) var at = Instant(nanoseconds: 0)
  public internal(set) var port = Port.control
  /// When the answer left, if the thread that received it has answered it already.
  public var answeredAt: Instant?

  public init() {}
}

extension PortPair {
  /// Takes one datagram from `port` if one is there. What is too long comes as one of no octets.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive(on port: Datagram.Port, into datagram: inout Datagram) -> Bool {
    let socket = port == .control ? control : data
    // Invariant: the pointer covers the whole inline array and is used within the call alone.
    let arrival = withUnsafeMutablePointer(to: &datagram.octets) {
      socket.receive(into: UnsafeMutableRawPointer($0), room: Datagram.room)
    }
    guard let arrival else { return false }
    datagram.count = arrival.length <= Datagram.room ? arrival.length : 0
    datagram.from = arrival.from
    datagram.at = arrival.at
    datagram.port = port
    datagram.answeredAt = nil
    return true
  }
}
