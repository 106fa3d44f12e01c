import BasicContainers

/// The header of Chapters C, E and A of the recovery journal (RFC 6295, appendices A.3, A.7 and A.9): one octet.
/// [n] stands for n bits.
///
///     S LEN[7]
///
/// LEN + 1 logs of two octets follow, the log of the oldest command first.
struct LogListHeader: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// The number of logs, 1...128.
  var logs: Int

  /// The largest number of logs: LEN has seven bits.
  static var maximumLogs: Int { @_noLocks @_noAllocation get { 128 } }

  @_noLocks @_noAllocation
  init(s: Bool, logs: Int) { (self.s, self.logs) = (s, logs) }

  /// Reads the header at `position` and advances `position` past it; nil if the logs extend beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    s = packet[position].has(0x80)
    logs = Int(packet[position] & 0x7F) + 1
    guard position + 1 + 2 * logs <= end else { return nil }
    position += 1
  }

  /// The header as the octet that is sent.
  var octet: UInt8 {
    @_noLocks @_noAllocation get { .bit(0x80, if: s) | UInt8(truncatingIfNeeded: logs - 1) & 0x7F }
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 1 else { return false }
    packet.append(octet)
    return true
  }
}
