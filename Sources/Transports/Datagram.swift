public import BasicContainers
public import MusicalTime

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
  /// Whether the thread that received it has answered it already.
  public var answered = false

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
    datagram.answered = false
    return true
  }
}

extension UDPSocket {
  /// Sends a packet of at most ``Datagram/room`` octets, never waiting; false when it is longer or the kernel would not
  /// take it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ packet: borrowing RigidArray<UInt8>, to address: SocketAddress) -> Bool {
    // A copy, because the array lends its octets only as a Span, which real-time code may not own. Nearly all packets
    // are short, and are not to pay for the room of the longest.
    if packet.count <= 256 { return sendShort(packet, to: address) }
    guard packet.count <= Datagram.room else { return false }
    var octets = InlineArray<1472, UInt8>(repeating: 0)
    var index = 0
    while index < packet.count {
      octets[index] = packet[index]
      index += 1
    }
    // Invariant: the pointer covers the inline array and is used within the call alone.
    return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: index, to: address) }
  }

  @_noLocks @_noAllocation
  private func sendShort(_ packet: borrowing RigidArray<UInt8>, to address: SocketAddress) -> Bool {
    var octets = InlineArray<256, UInt8>(repeating: 0)
    var index = 0
    while index < packet.count {
      octets[index] = packet[index]
      index += 1
    }
    // Invariant: the pointer covers the inline array and is used within the call alone.
    return withUnsafePointer(to: &octets) { send(UnsafeRawPointer($0), count: index, to: address) }
  }
}
