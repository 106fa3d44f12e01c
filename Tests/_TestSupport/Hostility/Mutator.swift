import Simulation

/// Damages datagrams as defective lines, defective implementations and attackers do. A mutator inverts a bit, replaces octets,
/// removes the end, appends octets, replaces the end with the end of another datagram or with random octets, or sets a word
/// to an extreme value.
public struct Mutator {
  /// In one of twenty cases, ``grow(_:by:)`` appends fewer octets than this number instead of its own limit. The number is close to
  /// 1472, the UDP payload of an Ethernet frame.
  private static let largeGrowthLimit = 1400

  private var random: SplitMix

  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Damages `datagram` in one way. Sometimes the result equals the original.
  ///
  /// - Parameters:
  ///   - start: the octets before this index are not changed.
  ///   - other: the datagram whose end can replace the end of `datagram`.
  public mutating func mutate(_ datagram: inout [UInt8], from start: Int = 0, splicing other: [UInt8]) {
    let count = datagram.count - start
    guard count > 0 else { return }
    switch pick(8) {
    case 0: datagram[start + pick(count)] ^= 1 << UInt8(pick(8))
    case 1, 2: for _ in 0...pick(4) { datagram[start + pick(count)] = octet() }
    case 3: datagram.removeLast(pick(count + 1))
    case 4: grow(&datagram, by: 40)
    case 5:
      datagram.removeLast(pick(count + 1))
      datagram += other.suffix(pick(other.count + 1))
    case 6:
      // Many fields of RTP and AppleMIDI packets are words of four octets. The last word may be incomplete or empty.
      let word = start + 4 * pick(count / 4 + 1)
      let extreme: UInt8 = [0, 0x7F, 0x80, 0xFF][pick(4)]
      for index in word..<min(word + 4, datagram.count) { datagram[index] = extreme }
    default:
      datagram.removeLast(pick(count + 1))
      grow(&datagram, by: 64)
    }
  }

  /// Appends random octets: fewer than `limit`, or in one of twenty cases fewer than ``largeGrowthLimit``.
  private mutating func grow(_ datagram: inout [UInt8], by limit: Int) {
    let limit = pick(20) == 0 ? Self.largeGrowthLimit : limit
    for _ in 0..<pick(limit) { datagram.append(octet()) }
  }

  /// Returns a random number in 0..<count.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
}
