/// Classifies packets by their sequence numbers: new, late, duplicate or implausible (after RFC 3550, appendix A.1, and
/// the replay window of RFC 4303, section 3.4.3).
///
/// A number up to 512 ahead of the highest is new, and the numbers between are lost for now. A number further ahead, up
/// to 32767, is accepted only if the next packet follows it: otherwise, one forged number would block the stream until
/// it reached that number. For the 64 numbers up to the highest, a bit records whether the packet has arrived: a
/// missing packet that arrives late is no longer lost, and a packet that arrives again is a duplicate. A number further
/// behind cannot be distinguished from a replay and is rejected.
///
/// There is an exception among the first 512 packets: two consecutive numbers further behind restart the stream. A peer
/// that begins a new session from the same ports sends packets of the earlier session until it knows that the new
/// session is established, and the first packets may be of these. For the same reason, of the numbers directly before
/// the first one, only the nearest three count as duplicates, because packets swap.
struct SequenceWindow: BitwiseCopyable {
  enum Admission: BitwiseCopyable {
    /// The first packet, or a packet ahead of all others; `lost` is the number of missing packets before it.
    case next(lost: Int64)
    /// The stream restarts with this packet: all earlier packets belong to another stream.
    case restarted
    /// A new packet behind others. `place` is its index in the stream, counted like ``SequenceWindow/highest``.
    case late(place: Int64)
    /// A packet that has already arrived.
    case duplicate
    /// A packet further behind than the window, or implausibly far ahead.
    case outOfWindow
  }

  /// The index of the highest packet, counted from the first packet of the stream, which is 0; -1 before it. Does not
  /// wrap.
  private(set) var highest: Int64 = -1
  /// The sequence number of the highest packet.
  private(set) var sequence: UInt16 = 0
  /// Bit k: whether the packet k before the highest has arrived.
  private var seen: UInt64 = 0
  /// The first index for which ``seen`` is valid.
  private var first: Int64 = -3
  /// The number that would confirm the latest jump of the numbers, forwards or backwards.
  private var confirmation: UInt16?

  /// The largest step that is accepted without confirmation, and the number of packets within which a stream can
  /// restart.
  private static var reach: Int64 { @_noLocks @_noAllocation get { 512 } }

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func admit(_ number: UInt16) -> Admission {
    if highest < 0 {
      (highest, sequence, seen) = (0, number, ~0)
      return .next(lost: 0)
    }
    let step = Int16(bitPattern: number &- sequence)
    if step > 0 {
      if step > Self.reach, !confirms(number) { return .outOfWindow }
      confirmation = nil
      highest &+= Int64(step)
      sequence = number
      seen = step >= 64 ? 1 : seen << UInt64(step) | 1
      return .next(lost: Int64(step) - 1)
    }
    let behind = 0 - Int64(step)
    guard behind < 64, behind <= highest &- first else {
      guard highest < Self.reach, confirms(number) else { return .outOfWindow }
      confirmation = nil
      highest &+= 1
      (sequence, seen, first) = (number, ~0, highest &- 63)
      return .restarted
    }
    let bit: UInt64 = 1 << UInt64(behind)
    guard seen & bit == 0 else { return .duplicate }
    seen |= bit
    return .late(place: highest - behind)
  }

  /// Whether `number` follows the latest jump. If not, `number` becomes the latest jump.
  @_noLocks @_noAllocation
  private mutating func confirms(_ number: UInt16) -> Bool {
    let isConfirmed = if let confirmation { confirmation == number } else { false }
    confirmation = number &+ 1
    return isConfirmed
  }
}
