import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Simulation

/// A stream of RTP packets as nobody should send them: of every kind of message, with short recovery journals and long
/// ones, left out, out of order, replayed and damaged.
///
/// The valid packets are made once. Each input is one of them under the stream's next number, or one a few ahead, so that
/// what was left out is repaired from whatever the journal says, or an older or any; two times in three it is damaged.
public struct HostilePackets {
  /// Of the stream.
  public static let ssrc: UInt32 = 0x5475_7474

  /// What the packets are made from, in the order in which they were sent, from number 0 on.
  public let valid: [[UInt8]]
  private var sequence: UInt16 = 65_000
  private var random: SplitMix
  private var mutator: Mutator

  /// A stream made from `count` valid packets.
  public init(seed: UInt64, count: Int) {
    random = SplitMix(seed: seed)
    mutator = Mutator(seed: seed &+ 1)
    var improviser = Improviser(seed: seed &+ 2)
    var sender = PacketSender(ssrc: Self.ssrc, sequence: 0)
    sender.sendsJournal = true
    var valid: [[UInt8]] = []
    for number in 0..<count {
      // Acknowledged often, then rarely.
      if random.integer(in: 0...(number < count / 2 ? 20 : 400)) == 0 { sender.acknowledge(sender.sequence &- 1) }
      sender.usesEnhancedControllers = number / 64 % 2 == 1
      let instant = Instant(nanoseconds: Int64(number) * 5_000_000)
      let packet =
        switch random.integer(in: 0...39) {
        case 0:
          octets { _ = sender.encode(systemExclusive: rigid(improviser.systemExclusive()), at: instant, into: &$0) }
        case 1: octets { _ = sender.encodeGuard(at: instant, into: &$0) }
        default: octets { _ = sender.encode(improviser.next(), at: instant, into: &$0) }
        }
      if !packet.isEmpty { valid.append(packet) }
    }
    self.valid = valid
  }

  /// The next one, 4000 octets at most.
  public mutating func next() -> [UInt8] {
    var packet = valid[pick(valid.count)]
    sequence &+= pick(8) == 0 ? UInt16(pick(20)) : 1
    let number =
      switch pick(1000) {
      case 0: UInt16(pick(1 << 16))
      case 1...60: sequence &- UInt16(pick(100))
      default: sequence
      }
    (packet[2], packet[3]) = (UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
    // Lists and journals rather than the header, which soon makes a packet that nobody reads on.
    for _ in 0..<pick(3) {
      mutator.mutate(&packet, from: pick(8) == 0 ? 0 : RTPHeader.length, splicing: valid[pick(valid.count)])
    }
    return Array(packet.prefix(4000))
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
