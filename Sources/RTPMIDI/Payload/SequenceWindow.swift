/// Tells new packets from repeated ones by their sequence numbers (after RFC 3550, appendix A.1, and the replay window
/// of RFC 4303, section 3.4.3).
///
/// A number up to 512 ahead of the highest is new, and what lies between is lost for now. Further ahead, up to 32767,
/// it is believed when the next packet follows it: else one forged number would silence the stream until it got there.
/// Of the 64 numbers up to the highest a bit says whether they have come: a missing one that comes late is no longer
/// lost, one that comes again is a duplicate. What is further behind cannot be told from a replay. Nothing but a new
/// stream brings the numbers back.
struct SequenceWindow: BitwiseCopyable {
  enum Admission: BitwiseCopyable {
    /// The first, or ahead of all others; `lost` numbers were left out before it.
    case next(lost: Int64)
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
  /// The number that would confirm the leap seen last.
  private var confirmation: UInt16?

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
      if step > 512 {
        let isConfirmed = if let confirmation { confirmation == number } else { false }
        confirmation = number &+ 1
        guard isConfirmed else { return .outOfWindow }
      }
      confirmation = nil
      highest &+= Int64(step)
      sequence = number
      seen = step >= 64 ? 1 : seen << UInt64(step) | 1
      return .next(lost: Int64(step) - 1)
    }
    let behind = 0 - Int64(step)
    guard behind < 64 else { return .outOfWindow }
    let bit: UInt64 = 1 << UInt64(behind)
    guard seen & bit == 0 else { return .duplicate }
    seen |= bit
    return .late(place: highest - behind)
  }
}
