import BasicContainers

/// Chapter F of the recovery journal, MIDI Time Code (RFC 6295, appendix B.4): one, five or nine octets. [n] stands for
/// n bits.
///
///     S C P Q D POINT[3] | COMPLETE[32], if C | PARTIAL[32], if P
struct ChapterF: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// C: the newest complete time. If ``isQuarterFrames`` is true, the eight nibbles of quarter frames 0...7, with that
  /// of quarter frame 0 in the uppermost four bits. Otherwise, the four octets hr, mn, sc, fr of a Full Frame message.
  var complete: UInt32?
  /// Q: the complete time was sent as quarter frames.
  var isQuarterFrames: Bool
  /// P: the nibbles of an incomplete time, at the same bits as in ``complete``.
  var partial: UInt32?
  /// D: the quarter frames are sent in descending order, because the tape runs backwards.
  var isBackwards: Bool
  /// POINT: the number, 0...7, of the newest quarter frame in ``partial``.
  var point: UInt8

  @_noLocks @_noAllocation
  init(s: Bool, complete: UInt32?, isQuarterFrames: Bool, partial: UInt32?, isBackwards: Bool, point: UInt8) {
    (self.s, self.complete, self.isQuarterFrames) = (s, complete, isQuarterFrames)
    (self.partial, self.isBackwards, self.point) = (partial, isBackwards, point)
  }

  /// Reads the chapter at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    let flags = packet[position]
    var next = position + 1
    guard next + (flags.has(0x40) ? 4 : 0) + (flags.has(0x20) ? 4 : 0) <= end else { return nil }
    s = flags.has(0x80)
    isQuarterFrames = flags.has(0x10)
    isBackwards = flags.has(0x08)
    point = flags & 0x07
    if flags.has(0x40) {
      complete = packet.uint32(at: next)
      next += 4
    } else {
      complete = nil
    }
    if flags.has(0x20) {
      partial = packet.uint32(at: next)
      next += 4
    } else {
      partial = nil
    }
    position = next
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    let size = 1 + (complete == nil ? 0 : 4) + (partial == nil ? 0 : 4)
    guard packet.freeCapacity >= size else { return false }
    packet.append(
      .bit(0x80, if: s) | .bit(0x40, if: complete != nil) | .bit(0x20, if: partial != nil)
        | .bit(0x10, if: isQuarterFrames) | .bit(0x08, if: isBackwards) | point & 0x07)
    if let complete { packet.append(bigEndian: complete) }
    if let partial { packet.append(bigEndian: partial) }
    return true
  }
}
