public import MusicalTime

/// What came of a simulation.
public struct Outcome: Sendable {
  public internal(set) var seed: UInt64
  public internal(set) var peers: Int
  public internal(set) var network: String
  /// How long it took in virtual time.
  public internal(set) var length: Nanoseconds
  /// Steps heard by all peers together, and drums struck in them.
  public internal(set) var steps = 0
  public internal(set) var hits = 0
  /// How far from the master's step each settled follower's was, later being more than zero.
  public internal(set) var distances: [Nanoseconds] = []
  /// Packets sent, and of these those that did not arrive.
  public internal(set) var packets: Int64 = 0
  public internal(set) var lost: Int64 = 0
  /// How often a rhythm began, another took over one that went on, and a master turned out to be outranked.
  public internal(set) var starts = 0
  public internal(set) var takeovers = 0
  public internal(set) var outranked = 0
  /// How often each check was looked at: one that never was says nothing.
  public internal(set) var looks: [Check: Int] = [:]
  /// The first violations, and how many there were of each.
  public internal(set) var violations: [Violation] = []
  public internal(set) var counts: [Check: Int] = [:]
  /// What everybody heard and did, and when, in one number: FNV-1a (Fowler, Noll, Vo), 64 bits.
  public internal(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  public var holds: Bool { violations.isEmpty }

  mutating func note(_ value: some FixedWidthInteger) {
    for octet in 0..<value.bitWidth / 8 {
      digest = (digest ^ UInt64(truncatingIfNeeded: value >> (8 * octet)) & 0xFF) &* 0x100_0000_01B3
    }
  }

  /// Takes note of a violation.
  mutating func note(_ violation: Violation) {
    counts[violation.check, default: 0] += 1
    // The first of each is the one that tells; those that follow it follow from it.
    if counts[violation.check]! <= 3 { violations.append(violation) }
  }
}
