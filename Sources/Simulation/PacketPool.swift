import BasicContainers
import RTPMIDI

/// The packets that are in flight or wait for the control thread, in slots of one block of memory. Slots are reused, so the pool
/// grows only to the largest number of simultaneous packets.
struct PacketPool {
  /// The maximum number of octets of a packet: the payload of an Ethernet frame.
  static let slotLength = 1500

  /// The description of the packet in a slot.
  struct Label {
    /// The number of octets.
    var length = 0
    /// The address of the sender.
    var source = SocketAddress(host: 0, .control)
    /// The destination port.
    var port = Port.control
  }

  /// The packets: ``slotLength`` octets for each slot.
  private var octets: [UInt8] = []
  /// The descriptions of the packets, by slot.
  private var labels: [Label] = []
  /// The slots that contain no packet.
  private var free: [Int] = []

  /// Stores a packet of at most ``slotLength`` octets and returns its slot.
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

  /// Calls `body` with the packet in `slot` and its description.
  func read(_ slot: Int, _ body: (Span<UInt8>, Label) -> Void) {
    let (start, label) = (slot * Self.slotLength, labels[slot])
    body(octets.span.extracting(start..<start + label.length), label)
  }

  /// Frees the slot of a packet.
  mutating func release(_ slot: Int) { free.append(slot) }
}
