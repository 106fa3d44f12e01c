import Simulation

/// A generator of datagrams such as a defective implementation, a damaged line or an attacker sends.
///
/// One of eight datagrams consists of random octets, mostly after a valid beginning. The others are copies of recorded valid
/// datagrams, unchanged or damaged. All recorded kinds of datagrams are about equally frequent. RTP packets with the same first octet
/// are one kind. Each command of AppleMIDI, such as IN or CK, is a kind too.
public struct HostileDatagrams {
  /// The maximum number of recorded datagrams per kind. A further datagram replaces a random recorded datagram.
  private static let capacityPerKind = 64

  /// The recorded datagrams of each kind.
  private var recorded: [[[UInt8]]] = []
  /// The first octets that identify each kind: four octets of an AppleMIDI packet, one octet of an RTP packet.
  private var kinds: [[UInt8]] = []
  private var random: SplitMix
  private var mutator: Mutator

  public init(seed: UInt64) {
    random = SplitMix(seed: seed)
    mutator = Mutator(seed: seed &+ 1)
  }

  /// Records a valid datagram.
  public mutating func see(_ datagram: [UInt8]) {
    guard let first = datagram.first else { return }
    let signature = Array(datagram.prefix(first == 0xFF ? 4 : 1))
    guard let kind = kinds.firstIndex(of: signature) else {
      kinds.append(signature)
      return recorded.append([datagram])
    }
    if recorded[kind].count < Self.capacityPerKind {
      recorded[kind].append(datagram)
    } else {
      recorded[kind][pick(Self.capacityPerKind)] = datagram
    }
  }

  /// Returns the next hostile datagram, of at most 1500 octets.
  public mutating func next() -> [UInt8] {
    guard pick(8) != 0, !recorded.isEmpty else { return noise() }
    var datagram = pickRecorded()
    for _ in 0..<pick(4) { mutator.mutate(&datagram, splicing: pickRecorded()) }
    return Array(datagram.prefix(1500))
  }

  /// Returns a random number in 0..<count.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// Returns a random recorded datagram of a random kind.
  private mutating func pickRecorded() -> [UInt8] {
    let kind = pick(recorded.count)
    return recorded[kind][pick(recorded[kind].count)]
  }

  /// Returns random octets. In seven of eight cases, they begin as a valid datagram does.
  private mutating func noise() -> [UInt8] {
    let length = pick(10) == 0 ? pick(1500) : pick(64)
    var octets = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    // The first octets of valid datagrams, so that some of the datagrams pass the first check. In this order: none, the
    // signature of AppleMIDI, an invitation (IN), RTP version 2 with payload type 97, a clock synchronization (CK), a
    // clock probe (TU, version 2), receiver feedback (RS), and a handshake (TH, version 1).
    let beginnings: [[UInt8]] = [
      [], [0xFF, 0xFF], Array("\u{FF}\u{FF}IN".unicodeScalars.map { UInt8($0.value) }), [0x80, 0x61],
      [0xFF, 0xFF, 0x43, 0x4B], [0xFF, 0xFF, 0x54, 0x55, 2], [0xFF, 0xFF, 0x52, 0x53], [0xFF, 0xFF, 0x54, 0x48, 1],
    ]
    for (index, octet) in beginnings[pick(beginnings.count)].enumerated() where index < octets.count {
      octets[index] = octet
    }
    return octets
  }
}
