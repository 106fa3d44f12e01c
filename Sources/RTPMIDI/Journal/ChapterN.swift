import MIDI

/// The header of Chapter N of the recovery journal, note off and note on (RFC 6295, appendix A.6): two octets. [n]
/// stands for n bits.
///
///     B LEN[7] | LOW[4] HIGH[4]
///
/// LEN ``NumberedLog``s follow, for notes whose newest command is a Note On, the oldest first. Then, if LOW <= HIGH, the
/// octets LOW...HIGH of a bit field follow. The whole bit field would have 16 octets, with one bit for each of the 128
/// notes. The most significant bit of octet LOW belongs to note 8 * LOW. A bit is 1 if the newest command of its note
/// is a Note Off. B is the S bit of the bit field. No note has both a log and a set bit.
///
/// LEN has seven bits. Therefore LEN 127 together with LOW 15 and HIGH 0 means 128 logs.
struct ChapterN: Hashable, Sendable, BitwiseCopyable {
  /// B: the S bit of the bit field, false if the previous packet contains a Note Off that has its bit set here.
  var s: Bool
  /// The number of note logs, 0...128.
  var logs: Int
  /// The first octet of the bit field, 0...15.
  var low: Int
  /// The last octet of the bit field, 0...15; less than `low` if there is no bit field.
  var high: Int

  /// Creates a header. Any pair with `low` greater than `high` means that there is no bit field.
  @_noLocks @_noAllocation
  init(s: Bool, logs: Int, low: Int, high: Int) {
    (self.s, self.logs, self.low, self.high) = (s, logs, low, high)
  }

  /// The number of octets of the bit field.
  var bitFieldOctets: Int { @_noLocks @_noAllocation get { low <= high ? high - low + 1 : 0 } }

  /// Reads the header at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if the header, the logs or the bit field extend beyond `end`.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let header = try FlaggedValue(packet, at: &position, end: end)
    let extent = try packet.readOctet(at: &position, end: end)
    (low, high) = (Int(extent >> 4), Int(extent & 0x0F))
    let count = Int(header.value.value)
    (s, logs) = (header.flag, count == 127 && extent == 0xF0 ? 128 : count)
    guard position + 2 * logs + bitFieldOctets <= end else { throw .malformedJournal }
  }

  /// The header as the 16-bit word that is sent.
  var word: UInt16 {
    @_noLocks @_noAllocation get {
      let first: UInt8 = .bit(0x80, if: s) | (logs >= 128 ? 127 : UInt8(truncatingIfNeeded: logs))
      // Without a bit field, LOW is 15. HIGH is 1 for 127 logs, because HIGH 0 would mean 128 logs.
      var second: UInt8 = logs == 127 ? 0xF1 : 0xF0
      if low <= high { second = UInt8(truncatingIfNeeded: low) << 4 | UInt8(truncatingIfNeeded: high) & 0x0F }
      return UInt16(first) << 8 | UInt16(second)
    }
  }
}
