import BasicContainers
import MIDI

/// The header of the journal of one channel, a part of the recovery journal (RFC 6295 section 5, figure 9), three
/// octets. [n] stands for n bits:
///
///     S CHAN[4] H LENGTH[10] | P C M W N E T A
///
/// Each of the last eight bits is the flag of a chapter. The chapters with set flags follow in this order.
struct ChannelJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var channel: Channel
  /// H: Chapter C of the channel may hold several logs for one controller.
  var isEnhanced: Bool
  /// The size of the whole channel journal in octets, including this header: 3...1023.
  var length: Int
  /// The third octet: the flags of the chapters that follow. In hexadecimal, P is 80, C is 40, M is 20, W is 10, N is
  /// 08, E is 04, T is 02 and A is 01.
  var chapters: UInt8

  /// The size of the header in octets.
  static var size: Int { @_noLocks @_noAllocation get { 3 } }
  /// The largest ``length``: the field has ten bits.
  static var maximumLength: Int { @_noLocks @_noAllocation get { 1023 } }

  @_noLocks @_noAllocation
  init(s: Bool, channel: Channel, isEnhanced: Bool, length: Int, chapters: UInt8) {
    (self.s, self.channel, self.isEnhanced) = (s, channel, isEnhanced)
    (self.length, self.chapters) = (length, chapters)
  }

  var hasP: Bool { @_noLocks @_noAllocation get { chapters.has(0x80) } }
  var hasC: Bool { @_noLocks @_noAllocation get { chapters.has(0x40) } }
  var hasM: Bool { @_noLocks @_noAllocation get { chapters.has(0x20) } }
  var hasW: Bool { @_noLocks @_noAllocation get { chapters.has(0x10) } }
  var hasN: Bool { @_noLocks @_noAllocation get { chapters.has(0x08) } }
  var hasE: Bool { @_noLocks @_noAllocation get { chapters.has(0x04) } }
  var hasT: Bool { @_noLocks @_noAllocation get { chapters.has(0x02) } }
  var hasA: Bool { @_noLocks @_noAllocation get { chapters.has(0x01) } }

  /// Reads the header at `position` and advances `position` past it; nil if the journal extends beyond `end` or its
  /// length is less than that of its header.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - Self.size else { return nil }
    let first = packet[position]
    s = first.has(0x80)
    channel = Channel(wire: first >> 3)
    isEnhanced = first.has(0x04)
    length = Int(packet.uint16(at: position) & 0x03FF)
    chapters = packet[position + 2]
    guard length >= Self.size, position + length <= end else { return nil }
    position += Self.size
  }

  /// The first two octets as the 16-bit word that is sent.
  var word: UInt16 {
    @_noLocks @_noAllocation get {
      let first: UInt8 = .bit(0x80, if: s) | channel.wire << 3 | .bit(0x04, if: isEnhanced)
      return UInt16(first) << 8 | UInt16(truncatingIfNeeded: length) & 0x03FF
    }
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.size else { return false }
    packet.append(bigEndian: word)
    packet.append(chapters)
    return true
  }
}
