public import MusicalTime

/// The result of a simulation.
///
/// Real-time: not safe.
public struct Outcome: Sendable {
  public internal(set) var seed: UInt64
  /// The number of peers.
  public internal(set) var peers: Int
  /// The name of the network.
  public internal(set) var network: String
  /// The simulated time.
  public internal(set) var length: Nanoseconds
  /// The number of steps that all peers together have played.
  public internal(set) var steps = 0
  /// The number of hits in these steps.
  public internal(set) var hits = 0
  /// The distance of each step of a settled follower from the same step of its master. Positive if the follower was later.
  public internal(set) var distances: [Nanoseconds] = []
  /// The number of packets that were sent.
  public internal(set) var packets: Int64 = 0
  /// The number of these packets that did not arrive.
  public internal(set) var lost: Int64 = 0
  /// The number of these packets that a hostile device has sent.
  public internal(set) var forged: Int64 = 0
  /// The number of times that a rhythm started.
  public internal(set) var starts = 0
  /// The number of times that a peer took over a rhythm.
  public internal(set) var takeovers = 0
  /// The number of times that a master yielded to a higher claim.
  public internal(set) var outranked = 0
  /// The number of evaluations of each invariant. With 0 evaluations, the absence of violations proves nothing.
  public internal(set) var evaluations: [Invariant: Int] = [:]
  /// The first three violations of each invariant.
  public internal(set) var violations: [Violation] = []
  /// The number of all violations of each invariant.
  public internal(set) var counts: [Invariant: Int] = [:]
  /// A hash of all steps, sounds and role changes with their instants: FNV-1a (Fowler, Noll, Vo), 64 bits. The initial value is
  /// the offset basis of FNV.
  public internal(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Whether no invariant was violated.
  public var holds: Bool { violations.isEmpty }

  /// Adds the octets of a value to the digest. The factor is the 64-bit prime of FNV.
  mutating func hash(_ value: some FixedWidthInteger) {
    for octet in 0..<value.bitWidth / 8 {
      digest = (digest ^ UInt64(truncatingIfNeeded: value >> (8 * octet)) & 0xFF) &* 0x100_0000_01B3
    }
  }

  /// Counts a violation.
  mutating func add(_ violation: Violation) {
    counts[violation.invariant, default: 0] += 1
    // The first violation shows the cause. Later ones are usually consequences.
    if counts[violation.invariant]! <= 3 { violations.append(violation) }
  }
}
