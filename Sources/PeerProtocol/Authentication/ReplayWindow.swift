/// The numbers of the datagrams that were received from one thread: the highest one, and which of the 255 numbers below it were
/// received.
///
/// A number is accepted once. A number more than 255 below the highest one is refused, because it is not known whether it was
/// received. (The sliding window of RFC 4303, section 3.4.3.)
struct ReplayWindow: BitwiseCopyable {
  private static var width: UInt64 { @_noLocks @_noAllocation get { 256 } }

  /// One more than the highest number; 0 before the first one.
  private var end: UInt64 = 0
  /// One bit per number modulo 256.
  private var received = InlineArray<4, UInt64>(repeating: 0)

  @_noLocks @_noAllocation
  init() {}

  /// Whether `number` is new.
  @_noLocks @_noAllocation
  func admits(_ number: UInt64) -> Bool {
    if number >= end { return true }
    guard end - number <= Self.width else { return false }
    return received[Int(number >> 6 & 3)] & Self.bit(of: number) == 0
  }

  /// Records `number`, which ``admits(_:)`` has admitted.
  @_noLocks @_noAllocation
  mutating func record(_ number: UInt64) {
    if number >= end {
      // The skipped numbers were not received yet. The loop clears their bits, because older numbers have used the same
      // bits.
      if number - end >= Self.width {
        received = InlineArray<4, UInt64>(repeating: 0)
      } else {
        while end < number {
          received[Int(end >> 6 & 3)] &= ~Self.bit(of: end)
          end += 1
        }
      }
      end = number + 1
    }
    received[Int(number >> 6 & 3)] |= Self.bit(of: number)
  }

  @_noLocks @_noAllocation
  private static func bit(of number: UInt64) -> UInt64 { 1 << (number & 63) }
}
