internal import BasicContainers
import MIDI
import MusicalTime
internal import RTPMIDI
import Simulation

/// A hostile stream of RTP packets with all kinds of messages and with short and long recovery journals. Packets are omitted,
/// reordered, replayed and damaged.
///
/// The valid packets are generated once. Each packet of the stream is a copy of a random valid packet with a new sequence
/// number. The sequence number is mostly the next number. Sometimes it skips up to eighteen numbers, repeats an older number, or
/// is random.
///
/// After a gap, the receiver repairs its state from the recovery journal of the next packet. This journal is a copy, too: the sender
/// wrote it for another position in the stream. Two of three packets are damaged.
public struct HostilePackets {
  /// The SSRC of the stream.
  public static let ssrc: UInt32 = 0x5475_7474  // "Tutt"

  /// The valid packets in the order in which they were sent, from sequence number 0 on.
  public let valid: [[UInt8]]
  private var sequence: UInt16 = 65_000
  private var random: SplitMix
  private var mutator: Mutator

  /// Generates up to `count` valid packets. Messages that give no packet are skipped.
  public init(seed: UInt64, count: Int) {
    random = SplitMix(seed: seed)
    mutator = Mutator(seed: seed &+ 1)
    var improviser = Improviser(seed: seed &+ 2)
    var sender = PacketSender(ssrc: Self.ssrc, sequence: 0)
    sender.sendsJournal = true
    var valid: [[UInt8]] = []
    for number in 0..<count {
      // An acknowledgement shortens the journal. The first half of the packets is acknowledged often, so its journals are
      // short. The second half is acknowledged rarely, so its journals are long.
      if random.integer(in: 0...(number < count / 2 ? 20 : 400)) == 0 { sender.acknowledge(sender.sequence &- 1) }
      // Every 64 messages, the sender changes between normal and enhanced controller logs.
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

  /// Returns the next hostile packet, of at most 4000 octets.
  public mutating func next() -> [UInt8] {
    var packet = valid[pick(valid.count)]
    sequence &+= pick(8) == 0 ? UInt16(pick(20)) : 1
    let number =
      switch pick(1000) {
      case 0: UInt16(pick(1 << 16))
      case 1...60: sequence &- UInt16(pick(100))
      default: sequence
      }
    // Octets 2 and 3 of the RTP header contain the sequence number.
    (packet[2], packet[3]) = (UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
    // Most damage is behind the header, because the receiver rejects a packet with a damaged header before it reads the
    // content.
    for _ in 0..<pick(3) {
      mutator.mutate(&packet, from: pick(8) == 0 ? 0 : RTPHeader.length, splicing: valid[pick(valid.count)])
    }
    return Array(packet.prefix(4000))
  }

  /// Returns a random number in 0..<count.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
