import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Seeds

/// A stream of RTP packets as nobody should send them: packets of every kind of message, journals included, then cut,
/// spliced, altered, replayed, left out and out of order.
///
/// The packets themselves are made once. Each input is one of them, under the stream's next number (now and then an older
/// or a later one, so that losses are repaired from what the journal says), three times in four altered. The numbers go
/// on, so most get past the sequence window. An input takes no memory.
struct HostilePackets: ~Copyable {
  static let ssrc: UInt32 = 0x5475_7474

  private var random: SplitMix
  private var valid: [[UInt8]] = []
  private var sequence: UInt16 = 65000
  /// The newest input.
  private(set) var packet: [UInt8] = []

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    packet.reserveCapacity(4096)
    var sender = PacketSender(ssrc: Self.ssrc, sequence: 0)
    sender.sendsJournal = true
    var room = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
    for number in 0..<8192 {
      room.removeAll()
      // With and without an acknowledgement for long: short journals and long ones.
      if random.integer(in: 0...(number < 4096 ? 20 : 400)) == 0 { sender.acknowledge(sender.sequence &- 1) }
      sender.usesEnhancedControllers = number / 1024 % 2 == 1
      let instant = Instant(nanoseconds: Int64(number) * 5_000_000)
      switch random.integer(in: 0...39) {
      case 0:
        var data = RigidArray<UInt8>(capacity: 64)
        for _ in 0..<random.integer(in: 0...63) { data.append(UInt8(random.integer(in: 0...127))) }
        _ = sender.encode(systemExclusive: data, at: instant, into: &room)
      case 1: _ = sender.encodeGuard(at: instant, into: &room)
      default: _ = sender.encode(message(), at: instant, into: &room)
      }
      var octets: [UInt8] = []
      for index in 0..<room.count { octets.append(room[index]) }
      if !octets.isEmpty { valid.append(octets) }
    }
  }

  /// Any message, of few channels and numbers, so that one thing is often said again.
  private mutating func message() -> Message {
    while true {
      let status = UInt8(random.integer(in: 0x80...0xFF))
      let (first, second) = (UInt7(masking: octet() & 0x1F), UInt7(masking: octet()))
      let controllers: [UInt7] = [1, 6, 7, 11, 38, 64, 66, 96, 97, 98, 99, 100, 101, 120, 121, 122, 123, 127]
      let number = status & 0xF0 == 0xB0 ? controllers.randomElement(using: &random)! : first
      let few = status < 0xF0 ? status & 0xF1 : status
      if let message = Message(status: few, number, second) { return message }
    }
  }

  private mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }

  private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  /// Makes the next input.
  mutating func make() {
    packet.removeAll(keepingCapacity: true)
    packet.append(contentsOf: valid[below(valid.count)])
    sequence &+= below(8) == 0 ? UInt16(below(20)) : 1
    let number = below(16) == 0 ? sequence &- UInt16(below(100)) : below(1000) == 0 ? UInt16(below(65536)) : sequence
    (packet[2], packet[3]) = (UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
    // Lists and journals are altered more than the header, which soon makes an input nobody reads on.
    let from = below(8) == 0 ? 0 : 12
    switch below(12) {
    case 0...2: break
    case 3...5: for _ in 0...below(3) { packet[from + below(packet.count - from)] = octet() }
    case 6, 7: for _ in 0...below(3) { packet[from + below(packet.count - from)] ^= 1 << UInt8(below(8)) }
    case 8: packet.removeLast(below(packet.count + 1))
    case 9: for _ in 0..<below(100) { packet.append(octet()) }
    case 10:
      let other = below(valid.count)
      packet.removeLast(below(packet.count - from))
      packet.append(contentsOf: valid[other].suffix(below(valid[other].count)))
    default:
      packet.removeLast(packet.count - from)
      for _ in 0..<below(1400) { packet.append(octet()) }
    }
  }
}
