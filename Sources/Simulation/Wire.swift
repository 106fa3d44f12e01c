import BasicContainers
import MusicalTime
import RTPMIDI

/// The network between the hosts of a room, and what is to happen when.
final class Wire {
  var events = EventQueue()
  /// True time.
  var now = Instant(nanoseconds: 0)
  var network: VirtualNetwork
  private(set) var packets = PacketPool()
  private var random: SplitMix
  /// In which part of the network each host is: those in different parts hear nothing of each other.
  private(set) var parts: [UInt8]
  /// Which way, from host to host, has lost its last packet. Only where losses come in bursts.
  private var hasLost: [Bool] = []
  /// Packets sent, and of these those that did not arrive.
  private(set) var sent: Int64 = 0
  private(set) var lost: Int64 = 0

  init(_ network: VirtualNetwork, hosts: Int, random: SplitMix) {
    self.network = network
    self.random = random
    parts = [UInt8](repeating: 0, count: hosts)
  }

  /// Goes on to what happens next, if that is by `instant`.
  func advance(until instant: Instant) -> EventQueue.Event? {
    guard events.next <= instant, let event = events.pop() else { return nil }
    now = event.at
    return event
  }

  /// Divides the hosts: `parts` has a number for each.
  func divide(into parts: [UInt8]) { self.parts = parts }

  func reaches(_ a: Int, _ b: Int) -> Bool { parts[a] == parts[b] }

  /// Sends a packet from one host to another's port. It may be lost, late, or arrive twice.
  func send(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to target: SocketAddress) {
    sent += 1
    let (from, to) = (source.host, target.host)
    guard to < parts.count, packet.count <= PacketPool.slotLength, parts[from] == parts[to], !isLost(from, to) else {
      lost += 1
      return
    }
    deliver(packet, from: source, to: target)
    if network.duplicate > 0, random.share() < network.duplicate { deliver(packet, from: source, to: target) }
  }

  private func isLost(_ from: Int, _ to: Int) -> Bool {
    guard network.burst > 1 else { return network.loses(afterLoss: false, &random) }
    if hasLost.isEmpty { hasLost = [Bool](repeating: false, count: parts.count * parts.count) }
    let way = from * parts.count + to
    hasLost[way] = network.loses(afterLoss: hasLost[way], &random)
    return hasLost[way]
  }

  private func deliver(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to target: SocketAddress) {
    var latency = network.latency(&random)
    if network.reorder > 0, random.share() < network.reorder { latency = latency + VirtualNetwork.hold }
    let slot = packets.keep(packet, from: source, to: target.end)
    events.push(.packet, host: target.host, value: slot, at: now + latency)
  }

  /// The packet in `slot` has been taken.
  func release(_ slot: Int) { packets.release(slot) }
}
