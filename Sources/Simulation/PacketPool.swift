import BasicContainers
import RTPMIDI

/// The packets on their way and those that wait to be looked at, in slots of one block of memory. A slot is used again, so
/// that millions of packets need no more memory than there are at a time.
struct PacketPool {
  /// Octets a packet may have: an Ethernet frame's.
  static let slotLength = 1500

  struct Label {
    var length = 0
    var source = SocketAddress(host: 0, .control)
    /// To which port it goes.
    var port = Port.control
  }

  private var octets: [UInt8] = []
  private(set) var labels: [Label] = []
  private var free: [Int] = []

  /// Keeps a packet; gives its slot.
  mutating func keep(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to port: Port) -> Int {
    let slot = free.popLast() ?? labels.count
    if slot == labels.count {
      labels.append(Label())
      octets.append(contentsOf: repeatElement(0, count: Self.slotLength))
    }
    labels[slot] = Label(length: packet.count, source: source, port: port)
    let start = slot * Self.slotLength
    var target = octets.mutableSpan
    for index in 0..<packet.count { target[start + index] = packet[index] }
    return slot
  }

  /// Gives the packet in `slot` to `body`.
  func read(_ slot: Int, _ body: (Span<UInt8>) -> Void) {
    let start = slot * Self.slotLength
    body(octets.span.extracting(start..<start + labels[slot].length))
  }

  mutating func release(_ slot: Int) { free.append(slot) }
}
