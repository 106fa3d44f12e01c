/// The key of the tags of one direction of a session: 128 bits, as two little-endian words.
public struct TagKey: Hashable, Sendable, BitwiseCopyable {
  let low: UInt64
  let high: UInt64

  public init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  /// - Parameter octets: at least 16 octets. The first 16 are used.
  init(_ octets: [UInt8]) {
    func word(at index: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(octets[index + $1]) << UInt64(8 * $1) }
    }
    self.init(low: word(at: 0), high: word(at: 8))
  }
}
