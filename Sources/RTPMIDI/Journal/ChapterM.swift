import BasicContainers
import MIDI

/// The header of Chapter M of the recovery journal, registered and non-registered parameters (RFC 6295, appendix A.4):
/// two or three octets. [n] stands for n bits.
///
///     S P E U W Z LENGTH[10] | Q PENDING[7], if P
///
/// ``ParameterLog``s follow until the end of the chapter, the oldest transaction first. A transaction consists of the
/// selection of a parameter and the commands that then change it.
struct ChapterM: Hashable, Sendable, BitwiseCopyable {
  /// The upper half of a parameter number whose lower half has not been sent yet.
  struct Pending: Hashable, Sendable, BitwiseCopyable {
    /// Q: the parameter is non-registered (controller 99); otherwise it is registered (controller 101).
    var isNonRegistered: Bool
    var high: UInt7

    @_noLocks @_noAllocation
    init(isNonRegistered: Bool, high: UInt7) { (self.isNonRegistered, self.high) = (isNonRegistered, high) }
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// P: the parameter number of which only the upper half was sent; nil if the newest number is complete.
  var pending: Pending?
  /// E: the parameter of the last log is still selected.
  var isInProgress: Bool
  /// U: all logs are for registered parameters.
  var allRegistered: Bool
  /// W: all logs are for non-registered parameters.
  var allNonRegistered: Bool
  /// Z: all logs are for parameters 0...127.
  var allBelow128: Bool
  /// The size of the whole chapter in octets, including this header: 2...1023.
  var length: Int

  @_noLocks @_noAllocation
  init(
    s: Bool, pending: Pending?, isInProgress: Bool, allRegistered: Bool, allNonRegistered: Bool, allBelow128: Bool,
    length: Int
  ) {
    (self.s, self.pending, self.isInProgress) = (s, pending, isInProgress)
    (self.allRegistered, self.allNonRegistered) = (allRegistered, allNonRegistered)
    (self.allBelow128, self.length) = (allBelow128, length)
  }

  /// The size of the header in octets.
  var size: Int { @_noLocks @_noAllocation get { pending == nil ? 2 : 3 } }

  /// Whether the logs omit the octet with Q and PNUM-MSB, because the flags U, W and Z determine its content.
  var logsAreShort: Bool {
    @_noLocks @_noAllocation get {
      if allRegistered { return allBelow128 }
      return allNonRegistered ? allBelow128 : false
    }
  }

  /// Reads the header at `position` and advances `position` past it; nil if the chapter extends beyond `end` or its
  /// length is less than that of its header.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    let flags = packet[position]
    s = flags.has(0x80)
    isInProgress = flags.has(0x20)
    allRegistered = flags.has(0x10)
    allNonRegistered = flags.has(0x08)
    allBelow128 = flags.has(0x04)
    length = Int(packet.uint16(at: position) & 0x03FF)
    let size = flags.has(0x40) ? 3 : 2
    guard length >= size, position + length <= end else { return nil }
    if flags.has(0x40) {
      let octet = packet[position + 2]
      pending = Pending(isNonRegistered: octet.has(0x80), high: UInt7(masking: octet))
    } else {
      pending = nil
    }
    position += size
  }

  /// The first two octets as the 16-bit word that is sent.
  var word: UInt16 {
    @_noLocks @_noAllocation get {
      let flags: UInt8 =
        .bit(0x80, if: s) | .bit(0x40, if: pending != nil) | .bit(0x20, if: isInProgress)
        | .bit(0x10, if: allRegistered) | .bit(0x08, if: allNonRegistered) | .bit(0x04, if: allBelow128)
      return UInt16(flags) << 8 | UInt16(truncatingIfNeeded: length) & 0x03FF
    }
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= size else { return false }
    packet.append(bigEndian: word)
    if let pending { packet.append(.bit(0x80, if: pending.isNonRegistered) | pending.high.value) }
    return true
  }
}
