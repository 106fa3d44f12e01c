import BasicContainers
import MIDI

/// The header of Chapter N, notes (RFC 6295, appendix A.6), two octets:
///
///     B LEN[7] | LOW[4] HIGH[4]
///
/// LEN ``NoteLog``s follow, of notes whose newest command is a Note On, the oldest first; then, if LOW <= HIGH, the
/// octets LOW...HIGH of 128 bits, the first bit of the first for note 8 * LOW: 1 for a note whose newest command is a
/// Note Off. B is their S. No note stands in both. With LOW 15 and HIGH 0, LEN 127 means 128 logs.
struct ChapterN: Hashable, Sendable, BitwiseCopyable {
  /// B: no Note Off here is of the packet just before.
  var s: Bool
  /// 0...128.
  var logs: Int
  /// 0...15.
  var low: Int
  /// 0...15; below `low` when there are no such octets.
  var high: Int

  static var size: Int { @_noLocks @_noAllocation get { 2 } }

  /// Of `low` and `high`, any pair with `low` above `high` says that no octet follows.
  @_noLocks @_noAllocation
  init(s: Bool, logs: Int, low: Int, high: Int) {
    (self.s, self.logs, self.low, self.high) = (s, logs, low, high)
  }

  /// How many octets of Note Off bits follow the logs.
  var offOctets: Int { @_noLocks @_noAllocation get { low <= high ? high - low + 1 : 0 } }

  /// Reads the header at `position` and moves that past it; nil when logs and bits reach beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - Self.size else { return nil }
    s = packet[position].has(0x80)
    low = Int(packet[position + 1] >> 4)
    high = Int(packet[position + 1] & 0x0F)
    let count = Int(packet[position] & 0x7F)
    logs = count == 127 && packet[position + 1] == 0xF0 ? 128 : count
    guard position + Self.size + 2 * logs + offOctets <= end else { return nil }
    position += Self.size
  }

  /// The header as sent.
  var word: UInt16 {
    @_noLocks @_noAllocation get {
      let first: UInt8 = .bit(0x80, if: s) | (logs >= 128 ? 127 : UInt8(truncatingIfNeeded: logs))
      var second: UInt8 = logs == 127 ? 0xF1 : 0xF0
      if low <= high { second = UInt8(truncatingIfNeeded: low) << 4 | UInt8(truncatingIfNeeded: high) & 0x0F }
      return UInt16(first) << 8 | UInt16(second)
    }
  }

  /// Returns false, with nothing appended, when there is no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.size else { return false }
    packet.append(bigEndian: word)
    return true
  }
}

/// A log of Chapter N: a note whose newest command is a Note On, two octets:
///
///     S NOTENUM[7] | Y VELOCITY[7]
///
/// The velocity is never 0 in a rightful one.
struct NoteLog: Hashable, Sendable, BitwiseCopyable {
  var s: Bool
  var key: UInt7
  /// Y: the note is worth playing though it comes late.
  var isToSound: Bool
  var velocity: UInt7

  @_noLocks @_noAllocation
  init(s: Bool, key: UInt7, isToSound: Bool, velocity: UInt7) {
    (self.s, self.key, self.isToSound, self.velocity) = (s, key, isToSound, velocity)
  }

  /// Reads the log at `position` and moves that past it; nil when it reaches beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    key = UInt7(masking: packet[position])
    isToSound = packet[position + 1].has(0x80)
    velocity = UInt7(masking: packet[position + 1])
    position += 2
  }

  /// Returns false, with nothing appended, when there is no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | key.value)
    packet.append(.bit(0x80, if: isToSound) | velocity.value)
    return true
  }
}
