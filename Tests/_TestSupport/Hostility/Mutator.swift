import Simulation

/// Damages datagrams as bad lines, broken stacks and attackers do: a bit turned, octets replaced, an end cut, grown or
/// taken from another datagram, a word set to an extreme, everything after a beginning made noise.
public struct Mutator {
  private var random: SplitMix

  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Damages `datagram` in one way; now and then that changes nothing.
  ///
  /// - Parameters:
  ///   - start: what lies before it stays as it is.
  ///   - other: where another end is taken from.
  public mutating func mutate(_ datagram: inout [UInt8], from start: Int = 0, splicing other: [UInt8]) {
    let count = datagram.count - start
    guard count > 0 else { return }
    switch pick(8) {
    case 0: datagram[start + pick(count)] ^= 1 << UInt8(pick(8))
    case 1, 2: for _ in 0...pick(4) { datagram[start + pick(count)] = octet() }
    case 3: datagram.removeLast(pick(count + 1))
    case 4: grow(&datagram, by: pick(20) == 0 ? 1400 : 40)
    case 5:
      datagram.removeLast(pick(count + 1))
      datagram += other.suffix(pick(other.count + 1))
    case 6:
      // Of four octets, where the fields of all these packets are.
      let word = start + 4 * pick(count / 4 + 1)
      let extreme: UInt8 = [0, 0x7F, 0x80, 0xFF][pick(4)]
      for index in word..<max(word, min(word + 4, datagram.count)) { datagram[index] = extreme }
    default:
      datagram.removeLast(pick(count + 1))
      grow(&datagram, by: pick(20) == 0 ? 1400 : 64)
    }
  }

  private mutating func grow(_ datagram: inout [UInt8], by most: Int) {
    for _ in 0..<pick(most) { datagram.append(octet()) }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
}
