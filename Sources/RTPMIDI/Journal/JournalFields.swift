import BasicContainers
import MIDI

// Reading and writing of the octets and bits of a recovery journal. Most parts of a journal begin with the S bit (RFC
// 6295, appendix A.1), which is described at `RecoveryJournalHeader.s`.

extension UInt8 {
  /// Whether any bit of `mask` is set.
  @_noLocks @_noAllocation
  func has(_ mask: UInt8) -> Bool { self & mask != 0 }

  /// Returns `mask` if `flag` is true, otherwise 0.
  @_noLocks @_noAllocation
  static func bit(_ mask: UInt8, if flag: Bool) -> UInt8 { flag ? mask : 0 }

  /// Returns `mask` if `field` is present, otherwise 0.
  @_noLocks @_noAllocation
  static func bit(_ mask: UInt8, ifPresent field: FlaggedValue?) -> UInt8 {
    if case .some = field { mask } else { 0 }
  }
}

/// The reason why a part of a journal was not written. The caller removes what was written so far.
enum JournalOverflow: Error {
  /// The packet has no room.
  case noRoom
  /// The journal or a list is longer than its length field can express.
  case tooLong
}

extension Span where Element == UInt8 {
  /// Returns the octet at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if it extends beyond `end`.
  @_noLocks @_noAllocation
  func readOctet(at position: inout Int, end: Int) throws(PacketError) -> UInt8 {
    guard position < end else { throw .malformedJournal }
    position += 1
    return self[position - 1]
  }

  /// Returns the big-endian word at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if it extends beyond `end`.
  @_noLocks @_noAllocation
  func readUInt16(at position: inout Int, end: Int) throws(PacketError) -> UInt16 {
    guard position + 2 <= end else { throw .malformedJournal }
    position += 2
    return uint16(at: position - 2)
  }

  /// Returns the big-endian word of 32 bits at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if it extends beyond `end`.
  @_noLocks @_noAllocation
  func readUInt32(at position: inout Int, end: Int) throws(PacketError) -> UInt32 {
    guard position + 4 <= end else { throw .malformedJournal }
    position += 4
    return uint32(at: position - 4)
  }
}

extension RigidArray where Element == UInt8 {
  /// Appends `octet` if there is room.
  @_noLocks @_noAllocation
  mutating func write(_ octet: UInt8) throws(JournalOverflow) {
    guard freeCapacity >= 1 else { throw .noRoom }
    append(octet)
  }

  /// Appends `word` in network byte order if there is room.
  @_noLocks @_noAllocation
  mutating func write(_ word: UInt16) throws(JournalOverflow) {
    guard freeCapacity >= 2 else { throw .noRoom }
    append(bigEndian: word)
  }

  /// Appends `word` in network byte order if there is room.
  @_noLocks @_noAllocation
  mutating func write(_ word: UInt32) throws(JournalOverflow) {
    guard freeCapacity >= 4 else { throw .noRoom }
    append(bigEndian: word)
  }

  /// Writes the number of octets from `start` on into the field LENGTH of the header at `start`. The field is the lower
  /// ten bits of a word.
  @_noLocks @_noAllocation
  mutating func writeLength(ofSectionAt start: Int) throws(JournalOverflow) {
    let length = count - start
    guard length <= 1023 else { throw .tooLong }
    self[start] = self[start] & 0xFC | UInt8(truncatingIfNeeded: length >> 8)
    self[start + 1] = UInt8(truncatingIfNeeded: length)
  }
}

/// An octet that consists of a flag in bit 7 and a value. Chapters T and V have this layout, `S PRESSURE[7]` and
/// `S COUNT[7]` (RFC 6295, appendices A.8 and B.2), as well as many fields of other chapters.
struct FlaggedValue: Hashable, Sendable, BitwiseCopyable {
  var flag: Bool
  var value: UInt7

  @_noLocks @_noAllocation
  init(_ flag: Bool, _ value: UInt7) { (self.flag, self.value) = (flag, value) }

  @_noLocks @_noAllocation
  init(octet: UInt8) { (flag, value) = (octet.has(0x80), UInt7(masking: octet)) }

  /// Reads the octet at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    self.init(octet: try packet.readOctet(at: &position, end: end))
  }

  var octet: UInt8 { @_noLocks @_noAllocation get { .bit(0x80, if: flag) | value.value } }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) { try packet.write(octet) }
}
