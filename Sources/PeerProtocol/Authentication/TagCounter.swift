/// The counter of a tagged datagram: which thread sent it, when, and how many datagrams the thread had sent before.
///
///     thread 2 | time 26 | number 36
///
/// The lengths are in bits.
///
/// - The *number* counts the datagrams that the thread has sent in this session. It detects replays.
/// - The *time* is the clock of the sender in sixteenths of a second, modulo 2^26. It detects datagrams that were held back.
///   Each thread has its own numbers, so the numbers alone do not show the age of a datagram whose thread sends rarely.
///
/// A thread sends fewer than 2^36 datagrams in a session: 10 000 per second would take 79 days.
struct TagCounter: Hashable, BitwiseCopyable {
  let bits: UInt64

  @_noLocks @_noAllocation
  init(bits: UInt64) { self.bits = bits }

  /// - Parameters:
  ///   - thread: the index of the sending thread, 0 to 2.
  ///   - nanoseconds: the send instant, by the clock of the sender.
  ///   - number: the number of datagrams that the thread has sent before in this session.
  @_noLocks @_noAllocation
  init(thread: Int, nanoseconds: Int64, number: UInt64) {
    let time = UInt64(bitPattern: nanoseconds / 62_500_000) & 0x3FF_FFFF
    bits = UInt64(truncatingIfNeeded: thread) << 62 | time << 36 | number & Self.numberMask
  }

  private static var numberMask: UInt64 { @_noLocks @_noAllocation get { 0xF_FFFF_FFFF } }

  /// The index of the sending thread; 3 is not used.
  var thread: Int { @_noLocks @_noAllocation get { Int(bits >> 62) } }
  var number: UInt64 { @_noLocks @_noAllocation get { bits & Self.numberMask } }
  /// Sixteenths of a second, modulo 2^26.
  private var time: UInt32 { @_noLocks @_noAllocation get { UInt32(truncatingIfNeeded: bits >> 36) & 0x3FF_FFFF } }

  /// The age relative to `other` in sixteenths of a second: positive if this counter is the older one. Correct for differences
  /// below 24 days.
  @_noLocks @_noAllocation
  func age(relativeTo other: TagCounter) -> Int {
    let difference = (other.time &- time) & 0x3FF_FFFF
    return difference < 0x200_0000 ? Int(difference) : Int(difference) - 0x400_0000
  }
}
