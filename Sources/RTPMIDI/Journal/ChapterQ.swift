import BasicContainers

/// Chapter Q of the recovery journal, the sequencer state (RFC 6295, appendix B.3): one to six octets. [n] stands for n
/// bits.
///
///     S N D C T TOP[3] | CLOCK[16], if C | TIMETOOLS[24], if T
///
/// If C is 0, the position is the start of the song. Otherwise, it is TOP * 65536 + CLOCK Timing Clocks after the
/// start. If D is 1, the newest Clock has played this position. If D is 0, Start or Song Position has set the position,
/// and the next Clock plays it. Examples:
///
///     newest command                  position   D
///     Start                           0          0
///     the first Clock after Start     0          1
///     the second Clock after Start    1          1
struct ChapterQ: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// N: the newest of Start, Continue and Stop is Start or Continue.
  var isRunning: Bool
  /// D: the Clock at `position` has been played.
  var isPlayed: Bool
  /// The position in Timing Clocks, modulo 2^19.
  var position: UInt32
  /// T: the position in milliseconds, modulo 2^24. Only devices that send no Clock use this field.
  var milliseconds: UInt32?

  @_noLocks @_noAllocation
  init(s: Bool, isRunning: Bool, isPlayed: Bool, position: UInt32, milliseconds: UInt32? = nil) {
    (self.s, self.isRunning, self.isPlayed) = (s, isRunning, isPlayed)
    (self.position, self.milliseconds) = (position & 0x7FFFF, milliseconds)
  }

  /// Reads the chapter at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    let flags = packet[position]
    var next = position + 1
    guard next + (flags.has(0x10) ? 2 : 0) + (flags.has(0x08) ? 3 : 0) <= end else { return nil }
    s = flags.has(0x80)
    isRunning = flags.has(0x40)
    isPlayed = flags.has(0x20)
    if flags.has(0x10) {
      self.position = UInt32(flags & 0x07) << 16 | UInt32(packet.uint16(at: next))
      next += 2
    } else {
      self.position = 0
    }
    if flags.has(0x08) {
      milliseconds = UInt32(packet[next]) << 16 | UInt32(packet.uint16(at: next + 1))
      next += 3
    } else {
      milliseconds = nil
    }
    position = next
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    let hasClock = position != 0
    let size = 1 + (hasClock ? 2 : 0) + (milliseconds == nil ? 0 : 3)
    guard packet.freeCapacity >= size else { return false }
    packet.append(
      .bit(0x80, if: s) | .bit(0x40, if: isRunning) | .bit(0x20, if: isPlayed) | .bit(0x10, if: hasClock)
        | .bit(0x08, if: milliseconds != nil) | UInt8(truncatingIfNeeded: position >> 16) & 0x07)
    if hasClock { packet.append(bigEndian: UInt16(truncatingIfNeeded: position)) }
    if let milliseconds {
      packet.append(UInt8(truncatingIfNeeded: milliseconds >> 16))
      packet.append(bigEndian: UInt16(truncatingIfNeeded: milliseconds))
    }
    return true
  }
}
