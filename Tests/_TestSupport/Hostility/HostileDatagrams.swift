import Simulation

/// Datagrams as a broken stack, a bad line or an attacker sends them: noise, and valid ones seen before, replayed as they
/// are or damaged. Each kind seen, RTP and every command, comes about as often as the others.
public struct HostileDatagrams {
  /// The most valid datagrams of a kind that are remembered; a new one then takes the place of any.
  private static let memory = 64

  private var seen: [[[UInt8]]] = []
  /// The first four octets of a control packet, the first of another.
  private var kinds: [[UInt8]] = []
  private var random: SplitMix
  private var mutator: Mutator

  public init(seed: UInt64) {
    random = SplitMix(seed: seed)
    mutator = Mutator(seed: seed &+ 1)
  }

  /// Remembers a valid datagram.
  public mutating func see(_ datagram: [UInt8]) {
    guard let first = datagram.first else { return }
    let beginning = Array(datagram.prefix(first == 0xFF ? 4 : 1))
    guard let kind = kinds.firstIndex(of: beginning) else {
      kinds.append(beginning)
      return seen.append([datagram])
    }
    if seen[kind].count < Self.memory {
      seen[kind].append(datagram)
    } else {
      seen[kind][pick(Self.memory)] = datagram
    }
  }

  /// The next one, 1500 octets at most.
  public mutating func next() -> [UInt8] {
    guard pick(8) != 0, !seen.isEmpty else { return noise() }
    var datagram = any()
    for _ in 0..<pick(4) { mutator.mutate(&datagram, splicing: any()) }
    return Array(datagram.prefix(1500))
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func any() -> [UInt8] {
    let kind = pick(seen.count)
    return seen[kind][pick(seen[kind].count)]
  }

  private mutating func noise() -> [UInt8] {
    let length = pick(10) == 0 ? pick(1500) : pick(64)
    var octets = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
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
}
