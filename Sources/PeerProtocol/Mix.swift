/// The balance of the parts of a rhythm, as the master sets it: the level of each part, which parts are stopped, and whether all
/// players are quiet. A part is given by its number: 0 is the drums, 1 the bass, 2 the guitar, 3 the keys.
public struct Mix: Hashable, Sendable, BitwiseCopyable {
  /// The number of parts.
  ///
  /// Real-time: safe.
  public static var partCount: Int { @_noLocks @_noAllocation get { 4 } }
  /// All parts play at 100 %.
  ///
  /// Real-time: safe.
  public static var standard: Mix { @_noLocks @_noAllocation get { Mix() } }

  /// One octet per part, part 0 in the lowest octet: the level in percent, 0...100, plus 128 if the part is stopped.
  private(set) var octets: UInt32 = 0x6464_6464
  /// Whether the rhythm and the instruments of all players are silent, whatever the levels are.
  public var isQuiet = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Compares two mixes. Real-time code calls this operator, and a synthesized operator would lack the real-time annotations.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: Mix, b: Mix) -> Bool { a.octets == b.octets && a.isQuiet == b.isQuiet }

  /// Creates a mix from ``octets``. Nil if a level is greater than 100.
  init?(octets: UInt32, isQuiet: Bool) {
    for part in 0..<4 where UInt8(truncatingIfNeeded: octets >> (8 * UInt32(part))) & 0x7F > 100 { return nil }
    (self.octets, self.isQuiet) = (octets, isQuiet)
  }

  /// The octet of a part. `part` counts modulo 4.
  @_noLocks @_noAllocation
  private func octet(_ part: Int) -> UInt8 { UInt8(truncatingIfNeeded: octets &>> (8 &* UInt32(part & 3))) }

  /// Sets the octet of a part.
  private mutating func set(_ part: Int, to octet: UInt8) {
    let shift = 8 * UInt32(part & 3)
    octets = octets & ~(0xFF << shift) | UInt32(octet) << shift
  }

  /// The level of a part in percent, 0...100. A stopped part keeps its level.
  ///
  /// Real-time: not safe.
  public func level(ofPart part: Int) -> Int { Int(octet(part) & 0x7F) }

  /// Whether a part is not stopped, whatever its level is.
  ///
  /// Real-time: not safe.
  public func plays(part: Int) -> Bool { octet(part) & 0x80 == 0 }

  /// Sets the level of a part in percent, at most 100, and starts the part.
  ///
  /// Real-time: not safe.
  public mutating func setLevel(_ level: Int, ofPart part: Int) { set(part, to: UInt8(min(max(level, 0), 100))) }

  /// Starts or stops a part. Its level does not change.
  ///
  /// Real-time: not safe.
  public mutating func setPlays(_ plays: Bool, part: Int) { set(part, to: octet(part) & 0x7F | (plays ? 0 : 0x80)) }

  /// The velocity of a hit of a part in this mix, 1...127. Zero if the hit is silent.
  ///
  /// - Parameters:
  ///   - velocity: the velocity at the level of 100 %, 1...127.
  ///   - part: the part of the hit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func velocity(_ velocity: UInt8, ofPart part: UInt8) -> UInt8 {
    let octet = octet(Int(part))
    guard !isQuiet, octet & 0x80 == 0, octet > 0 else { return 0 }
    let scaled = Int(velocity) &* Int(octet) / 100
    return scaled < 1 ? 1 : UInt8(truncatingIfNeeded: scaled)
  }
}
