/// Tells new packets from repeated ones by their sequence numbers (after RFC 3550, appendix A.1, and the replay window
/// of RFC 4303, section 3.4.3).
///
/// A number up to 512 ahead of the highest is new, and what lies between is lost for now. Further ahead, up to 32767,
/// it is believed when the next packet follows it: else one forged number would silence the stream until it got there.
/// Of the 64 numbers up to the highest a bit says whether they have come: a missing one that comes late is no longer
/// lost, one that comes again is a duplicate. What is further behind cannot be told from a replay, and nothing brings the
/// numbers back; but among the first 512 two that follow each other do. Whoever begins a session anew from the same ports
/// sends the earlier one's packets until it knows that the new one stands, and what comes first may be of those. So may
/// what is just behind the first number: of that only the three nearest count as repeated, as packets swap.
struct SequenceWindow: BitwiseCopyable {
  enum Admission: BitwiseCopyable {
    /// The first, or ahead of all others; `lost` numbers were left out before it.
    case next(lost: Int64)
    /// The stream has begun by now: all before it was of another.
    case anew
    /// New, but behind others; `place` counts from the first packet as ``SequenceWindow/highest`` does.
    case late(place: Int64)
    case duplicate
    /// Further behind than the window, or further ahead than is believed.
    case outOfWindow
  }

  /// The highest number so far, counted from the stream's first packet, which is 0; -1 before it. Does not wrap.
  private(set) var highest: Int64 = -1
  private(set) var sequence: UInt16 = 0
  /// Bit k: the packet k before the highest has come.
  private var seen: UInt64 = 0
  /// The place from which ``seen`` tells the truth.
  private var first: Int64 = -3
  /// The number that would confirm the leap seen last, ahead or back.
  private var confirmation: UInt16?

  /// The furthest that is believed at once, and so long a stream may begin anew.
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
      return .anew
    }
    let bit: UInt64 = 1 << UInt64(behind)
    guard seen & bit == 0 else { return .duplicate }
    seen |= bit
    return .late(place: highest - behind)
  }

  /// Whether `number` follows the one that leapt last; if not, it is that one now.
  @_noLocks @_noAllocation
  private mutating func confirms(_ number: UInt16) -> Bool {
    let isConfirmed = if let confirmation { confirmation == number } else { false }
    confirmation = number &+ 1
    return isConfirmed
  }
}
