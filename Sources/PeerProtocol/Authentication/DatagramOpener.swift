public import RTPMIDI

/// Checks the tags of the datagrams of a session with a passkey (``DatagramSealer``).
///
/// A datagram is accepted once, only on the port for which it was sent, and only if it was sent at most a second before the newest
/// datagram of the session.
public struct DatagramOpener: Sendable, BitwiseCopyable {
  /// The greatest accepted age of a datagram, relative to the newest datagram, in sixteenths of a second.
  private static var greatestAge: Int { @_noLocks @_noAllocation get { 16 } }

  private let key: TagKey
  /// The received datagram numbers, one window for each sending thread.
  private var windows = InlineArray<3, ReplayWindow>(repeating: ReplayWindow())
  /// The accepted counter with the latest time; nil before the first datagram.
  private var newest: TagCounter?

  /// Creates an opener for the datagrams that the remote peer sends in the session with `keys`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ keys: SessionKeys) { key = keys.receiving }

  /// Checks a datagram.
  ///
  /// - Parameter port: the local port at which it has arrived.
  /// - Returns: the number of octets of its content; nil if the datagram must be dropped.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func open(_ datagram: borrowing Span<UInt8>, port: Port) -> Int? {
    let count = datagram.count - DatagramSealer.length
    guard count > 0 else { return nil }
    let counter = TagCounter(bits: datagram.uint64(at: count))
    guard counter.thread < windows.count, windows[counter.thread].admits(counter.number) else { return nil }
    var hash = SipHash(key: key)
    hash.append(datagram, upTo: count)
    hash.append(counter, port)
    guard hash.finish() == datagram.uint64(at: count + 8) else { return nil }
    if let newest {
      let age = counter.age(relativeTo: newest)
      guard age <= Self.greatestAge else { return nil }
      // A negative age means that this datagram was sent after `newest`.
      if age < 0 { self.newest = counter }
    } else {
      newest = counter
    }
    windows[counter.thread].record(counter.number)
    return count
  }
}

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
