import Seeds

/// Datagrams as a broken stack, a bad line or an attacker sends them: noise, and valid ones seen before, replayed as they
/// are or with bits turned, octets replaced, ends cut or grown, two spliced, a field set to an extreme.
public struct HostileDatagrams {
  /// The most valid datagrams that are remembered; a new one then takes the place of any.
  public static let memory = 512

  private var seen: [[UInt8]] = []
  private var random: SplitMix

  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Remembers a valid datagram.
  public mutating func see(_ datagram: [UInt8]) {
    guard !datagram.isEmpty else { return }
    if seen.count < Self.memory {
      seen.append(datagram)
    } else {
      seen[pick(Self.memory)] = datagram
    }
  }

  /// The next one, 1500 octets at most.
  public mutating func next() -> [UInt8] {
    guard pick(8) != 0, !seen.isEmpty else { return noise() }
    var datagram = seen[pick(seen.count)]
    for _ in 0..<pick(4) { mutate(&datagram) }
    return Array(datagram.prefix(1500))
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func octet() -> UInt8 { UInt8.random(in: 0...255, using: &random) }

  private mutating func noise() -> [UInt8] {
    let length = pick(10) == 0 ? pick(1500) : pick(64)
    var octets = (0..<length).map { _ in octet() }
    // Something that gets past the first look.
    let beginnings: [[UInt8]] = [
      [], [0xFF, 0xFF], Array("\u{FF}\u{FF}IN".unicodeScalars.map { UInt8($0.value) }), [0x80, 0x61],
      [0xFF, 0xFF, 0x43, 0x4B], [0xFF, 0xFF, 0x54, 0x55, 1], [0xFF, 0xFF, 0x52, 0x53],
    ]
    for (index, octet) in beginnings[pick(beginnings.count)].enumerated() where index < octets.count {
      octets[index] = octet
    }
    return octets
  }

  private mutating func mutate(_ datagram: inout [UInt8]) {
    guard !datagram.isEmpty else { return }
    switch pick(6) {
    case 0: datagram[pick(datagram.count)] ^= 1 << UInt8(pick(8))
    case 1: datagram[pick(datagram.count)] = octet()
    case 2: datagram.removeLast(pick(datagram.count + 1))
    case 3: for _ in 0..<pick(pick(20) == 0 ? 1400 : 40) { datagram.append(octet()) }
    case 4:
      let other = seen[pick(seen.count)]
      datagram = Array(datagram.prefix(pick(datagram.count + 1)) + other.suffix(pick(other.count + 1)))
    default:
      // A word of four octets, where the fields of all these packets are.
      let start = 4 * pick(datagram.count / 4 + 1)
      let extreme: UInt8 = [0, 0x7F, 0x80, 0xFF][pick(4)]
      for index in start..<min(start + 4, datagram.count) { datagram[index] = extreme }
    }
  }
}
