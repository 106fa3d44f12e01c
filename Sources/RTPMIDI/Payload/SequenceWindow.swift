/// Classifies packets by their sequence numbers: new, late, duplicate or implausible (after RFC 3550, appendix A.1, and
/// the replay window of RFC 4303, section 3.4.3).
///
/// - A number up to 512 ahead of the highest received number is new. The numbers between the two count as lost until
///   they arrive.
/// - A number further ahead, up to 32767, is rejected, unless it is one higher than the number that was rejected last.
///   If all such numbers were accepted, one forged number would block the stream until the stream reached that number.
/// - The window contains the highest number and the 63 numbers before it. A bit for each number records whether the packet
///   has arrived. A missing packet that arrives late is no longer lost. A packet that arrives again is a duplicate.
/// - A number behind the window cannot be distinguished from a replay and is rejected.
///
/// The last rule has an exception: a number behind the window restarts the stream if it is one higher than the number that
/// was rejected last. The exception applies in two situations:
///
/// - In the first 512 packets. A peer that begins a new session from the same ports sends packets of the earlier session
///   until it knows that the new session is established. The first received packets may therefore belong to the earlier
///   session.
/// - In the 512 packets after a step of 64 or more. If the step was forged, the second genuine packet restarts the stream.
///
/// The first packets of a stream can arrive out of order. The three numbers directly before the first received
/// number therefore count as duplicates and cannot restart the stream. Lower numbers count as behind the window and can
/// restart the stream. After a restart, the highest number and the 63 numbers before it count as duplicates, so that packets
/// of the earlier stream with these numbers cannot restart the stream again.
struct SequenceWindow: BitwiseCopyable {
  /// The class of a packet.
  enum Admission: BitwiseCopyable {
    /// The first packet, or a packet ahead of all others; `lost` is the number of missing packets before it.
    case next(lost: Int64)
    /// The stream restarts with this packet: all earlier packets belong to another stream.
    case restarted
    /// A new packet that arrives after a packet with a higher number. `place` is counted like
    /// ``SequenceWindow/highest``.
    case late(place: Int64)
    /// A packet that has already arrived.
    case duplicate
    /// A packet further behind than the window, or implausibly far ahead.
    case outOfWindow
  }

  /// The place of the packet with the highest number. The first packet has place 0, and a packet n numbers ahead has a
  /// place n higher. A packet that restarts the stream has the next place, whatever its number is. -1 before the first
  /// packet. Places do not wrap.
  private(set) var highest: Int64 = -1
  /// The sequence number of the packet with the place ``highest``.
  private(set) var sequence: UInt16 = 0
  /// Bit k: whether the packet with the place `highest - k` has arrived.
  private var seen: UInt64 = 0
  /// The lowest place for which ``seen`` is used. Lower places are outside the window, even if they have a bit. The
  /// three places before the first packet are negative.
  private var first: Int64 = -3
  /// The place of the newest packet that was 64 or more ahead of all others; 0 if there was none.
  private var stepPlace: Int64 = 0
  /// The number directly after the last number that was rejected for being too far ahead or behind. A packet with this
  /// number confirms the jump to the rejected number.
  private var confirmation: UInt16?

  /// The largest step ahead that is accepted without confirmation. Also the number of packets within which a stream can
  /// restart after its first packet and after ``stepPlace``.
  private static var reach: Int64 { @_noLocks @_noAllocation get { 512 } }

  @_noLocks @_noAllocation
  init() {}

  /// Classifies the packet with this sequence number, and registers it if it is accepted.
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
      if step >= 64 { stepPlace = highest }
      seen = step >= 64 ? 1 : seen << UInt64(step) | 1
      return .next(lost: Int64(step) - 1)
    }
    let behind = 0 - Int64(step)
    guard behind < 64, behind <= highest &- first else {
      guard highest &- stepPlace < Self.reach, confirms(number) else { return .outOfWindow }
      confirmation = nil
      highest &+= 1
      // The 64 numbers up to this one count as arrived.
      (sequence, seen, first) = (number, ~0, highest &- 63)
      return .restarted
    }
    let bit: UInt64 = 1 << UInt64(behind)
    guard seen & bit == 0 else { return .duplicate }
    seen |= bit
    return .late(place: highest - behind)
  }

  /// Whether `number` is one higher than the number that was rejected last, and thus confirms a jump. Afterwards, only the
  /// number after `number` confirms a jump.
  @_noLocks @_noAllocation
  private mutating func confirms(_ number: UInt16) -> Bool {
    let isConfirmed = if let confirmation { confirmation == number } else { false }
    confirmation = number &+ 1
    return isConfirmed
  }
}
