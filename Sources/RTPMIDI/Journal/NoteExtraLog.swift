import BasicContainers
import MIDI

/// A log of Chapter E of the recovery journal, note command extras (RFC 6295, appendix A.7), two octets, after a
/// ``LogListHeader``. It contains what Chapter N cannot express about a note: a release velocity or a reference count.
/// [n] stands for n bits.
///
///     S NOTENUM[7] | V COUNT/VEL[7]
struct NoteExtraLog: Hashable, Sendable, BitwiseCopyable {
  /// The content of the second octet.
  enum Extra: Hashable, Sendable, BitwiseCopyable {
    /// V=1: the velocity of the newest Note Off; needed if it is not 64.
    case releaseVelocity(UInt7)
    /// V=0: the reference count, which is the number of Note Ons without a Note Off, at most 127. Needed if it differs
    /// from the count that Chapter N implies: 1 after a Note On, 0 after a Note Off.
    case references(UInt7)
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var key: UInt7
  var extra: Extra

  @_noLocks @_noAllocation
  init(s: Bool, key: UInt7, extra: Extra) { (self.s, self.key, self.extra) = (s, key, extra) }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    key = UInt7(masking: packet[position])
    let octet = packet[position + 1]
    extra = octet.has(0x80) ? .releaseVelocity(UInt7(masking: octet)) : .references(UInt7(masking: octet))
    position += 2
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | key.value)
    switch extra {
    case .releaseVelocity(let velocity): packet.append(0x80 | velocity.value)
    case .references(let count): packet.append(count.value)
    }
    return true
  }
}
