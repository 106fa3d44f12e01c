import BasicContainers
import MusicalTime
import RTPMIDI

/// The network between the hosts of a world, with the packets in flight and the event queue.
final class VirtualWire {
  /// The future events of the whole simulation.
  var events = EventQueue()
  /// The true time.
  var now = Instant(nanoseconds: 0)
  /// The delay, loss, duplication and reordering of packets.
  var network: NetworkModel
  /// The packets that are in flight, or that have arrived and are not processed yet.
  private(set) var packets = PacketPool()
  private var random: SplitMix
  /// For each host, the number of the part of the network to which it belongs. Packets do not pass from one part to another.
  private(set) var parts: [UInt8]
  /// For each pair of hosts a and b, at index a * hosts + b: whether packets pass from a to b if both are in the same part. Nil: between all
  /// hosts.
  var links: [Bool]?
  /// For each pair of hosts a and b, at index a * hosts + b: the instant at which the present burst of losses from a to b began;
  /// nil if the last packet arrived. Used only if losses come in bursts.
  private var lossesSince: [Instant?] = []
  /// The newest packets, if ``records`` is true. Later packets replace the oldest ones.
  private(set) var recorded: [RecordedPacket] = []
  /// Whether the packets are recorded.
  var records = false
  /// The number of packets that have been recorded, including the replaced ones.
  private var recordedCount = 0
  /// The maximum number of recorded packets.
  private static let recordLimit = 512
  /// The number of packets that were sent.
  private(set) var sent: Int64 = 0
  /// The number of these packets that did not arrive.
  private(set) var lost: Int64 = 0

  init(_ network: NetworkModel, hosts: Int, random: SplitMix) {
    self.network = network
    self.random = random
    parts = [UInt8](repeating: 0, count: hosts)
  }

  /// Removes the next event and sets ``now`` to its instant. Returns nil if the next event is after `instant`.
  func advance(until instant: Instant) -> EventQueue.Event? {
    guard let event = events.pop(until: instant) else { return nil }
    now = event.at
    return event
  }

  /// Partitions the network. `parts` has the number of a part for each host.
  func partition(into parts: [UInt8]) { self.parts = parts }

  /// Whether packets pass from host `a` to host `b`: both are in the same part of the network, and there is a link.
  func reaches(_ a: Int, _ b: Int) -> Bool { parts[a] == parts[b] && links?[a * parts.count + b] ?? true }

  /// The instant at which the present burst of losses between host `a` and host `b` began. If there is a burst in both directions,
  /// the earlier instant counts. Nil if the last packet in each direction arrived, or if losses do not come in bursts.
  ///
  /// The length of a burst is a number of packets, not a duration. Between two hosts that exchange only invitations, a burst can
  /// therefore last for many seconds.
  func lossesSince(between a: Int, and b: Int) -> Instant? {
    guard !lossesSince.isEmpty else { return nil }
    let (forth, back) = (lossesSince[a * parts.count + b], lossesSince[b * parts.count + a])
    guard let forth, let back else { return forth ?? back }
    return min(forth, back)
  }

  /// Sends a packet from one host to a port of another host. The packet may be lost, delayed or duplicated.
  func send(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to target: SocketAddress) {
    sent += 1
    if records { record(packet, from: source, to: target) }
    let (from, to) = (source.host, target.host)
    guard to < parts.count, packet.count <= PacketPool.slotLength, reaches(from, to), !isLost(from, to) else {
      lost += 1
      return
    }
    deliver(packet, from: source, to: target)
    if network.duplicate > 0, random.share() < network.duplicate { deliver(packet, from: source, to: target) }
  }

  /// Keeps a copy of a packet.
  private func record(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to target: SocketAddress) {
    let copy = RecordedPacket(octets: (0..<packet.count).map { packet[$0] }, source: source, target: target)
    if recorded.count < Self.recordLimit {
      recorded.append(copy)
    } else {
      recorded[recordedCount % Self.recordLimit] = copy
    }
    recordedCount += 1
  }

  /// Whether the next packet from one host to another is lost.
  private func isLost(_ from: Int, _ to: Int) -> Bool {
    guard network.burst > 1 else { return network.loses(afterLoss: false, &random) }
    if lossesSince.isEmpty { lossesSince = [Instant?](repeating: nil, count: parts.count * parts.count) }
    let index = from * parts.count + to
    let isLost = network.loses(afterLoss: lossesSince[index] != nil, &random)
    lossesSince[index] = isLost ? lossesSince[index] ?? now : nil
    return isLost
  }

  /// Schedules the arrival of a packet after a random delay.
  private func deliver(_ packet: borrowing RigidArray<UInt8>, from source: SocketAddress, to target: SocketAddress) {
    var latency = network.latency(&random)
    if network.reorder > 0, random.share() < network.reorder { latency = latency + NetworkModel.hold }
    let slot = packets.keep(packet, from: source, to: target.sessionPort)
    events.push(.packet, host: target.host, value: slot, at: now + latency)
  }

  /// Frees the slot of a packet that was processed.
  func release(_ slot: Int) { packets.release(slot) }
}
