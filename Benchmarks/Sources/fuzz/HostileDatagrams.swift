import RTPMIDI
import Seeds

/// Datagrams for a peer's two ports, hostile ones: what honest peers have sent, altered, cut, lengthened or as it was, at
/// the wrong time, from the wrong place; invitations and farewells in others' names; noise.
struct HostileDatagrams {
  struct Letter {
    var octets: [UInt8]
    var from: Place
    var port: Port
  }

  private var random: SplitMix
  /// What honest peers have sent lately, by kind: the command of a control packet, or RTP.
  private var heard: [UInt16: [Letter]] = [:]
  private var kinds: [UInt16] = []
  /// Of each kind.
  private static let mostHeard = 64

  /// Whose invitation came to the control port last.
  private var invitedLast: UInt32?

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// An honest peer has sent `letter`.
  mutating func hear(_ letter: Letter) {
    guard letter.octets.count >= 4 else { return }
    let isControl = letter.octets[0] == 0xFF && letter.octets[1] == 0xFF
    let kind = isControl ? UInt16(letter.octets[2]) << 8 | UInt16(letter.octets[3]) : 0
    if heard[kind] == nil { kinds.append(kind) }
    if heard[kind, default: []].count < Self.mostHeard {
      heard[kind, default: []].append(letter)
    } else {
      heard[kind]![below(Self.mostHeard)] = letter
    }
  }

  /// The next hostile one.
  mutating func make() -> Letter {
    var letter = kinds.isEmpty ? noise() : heard[kinds[below(kinds.count)]]!.randomElement(using: &random)!
    switch below(8) {
    case 0: letter = noise()
    case 1: letter = invitation()
    default: alter(&letter.octets)
    }
    switch below(4) {
    case 0: letter.from = stranger()
    case 1: letter.port = letter.port == .control ? .data : .control
    default: break
    }
    return letter
  }

  private mutating func alter(_ octets: inout [UInt8]) {
    // Once in four as it was: a replay.
    switch below(8) {
    case 0, 1: break
    case 2...4 where !octets.isEmpty:
      for _ in 0...below(3) { octets[below(octets.count)] = UInt8(truncatingIfNeeded: random.next()) }
    case 5 where !octets.isEmpty: octets[below(octets.count)] ^= 1 << UInt8(below(8))
    case 6: octets.removeLast(below(octets.count + 1))
    default: for _ in 0..<below(below(50) == 0 ? 1400 : 40) { octets.append(UInt8(truncatingIfNeeded: random.next())) }
    }
  }

  private mutating func noise() -> Letter {
    var octets: [UInt8] = below(2) == 0 ? [0xFF, 0xFF] : []
    for _ in 0..<below(80) { octets.append(UInt8(truncatingIfNeeded: random.next())) }
    return Letter(octets: octets, from: stranger(), port: below(2) == 0 ? .control : .data)
  }

  /// An invitation to the control port; the next time, as often as not, the same to the data port, which makes a session.
  private mutating func invitation() -> Letter {
    let isSecond = invitedLast != nil && below(2) == 0
    let number = isSecond ? invitedLast! : UInt32(below(3000))
    invitedLast = isSecond ? nil : number
    var octets: [UInt8] = [0xFF, 0xFF, 0x49, 0x4E, 0, 0, 0, 2]
    for word in [number &* 2_654_435_761, number] {
      for shift in [24, 16, 8, 0] as [UInt32] { octets.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    for _ in 0..<below(below(20) == 0 ? 1400 : 20) { octets.append(UInt8(truncatingIfNeeded: random.next())) }
    let from = Place(host: 1000 + number, port: 5004)
    return isSecond
      ? Letter(octets: octets, from: from.dataPort, port: .data) : Letter(octets: octets, from: from, port: .control)
  }

  private mutating func stranger() -> Place {
    Place(host: UInt32(100 + below(100_000)), port: UInt16(5000 + below(10)))
  }

  private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
}
