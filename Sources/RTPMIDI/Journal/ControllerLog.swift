import BasicContainers
import MIDI

/// A log of Chapter C of the recovery journal, control change (RFC 6295, appendix A.3), two octets, after a
/// ``LogListHeader``. A log describes one controller by a value, a toggle count or a count of commands. [n] stands for
/// n bits:
///
///     S NUMBER[7] | 0 VALUE[7]       value tool
///     S NUMBER[7] | 1 0 ALT[6]       toggle tool
///     S NUMBER[7] | 1 1 ALT[6]       count tool
struct ControllerLog: Hashable, Sendable, BitwiseCopyable {
  /// The content of the second octet.
  enum Tool: Hashable, Sendable, BitwiseCopyable {
    /// Value tool: the newest value.
    case value(UInt7)
    /// Toggle tool: the number of changes of a switch between off (below 64) and on, modulo 64. A switch is off at
    /// first.
    case toggle(UInt8)
    /// Count tool: the number of commands, modulo 64.
    case count(UInt8)
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var controller: UInt7
  var tool: Tool

  @_noLocks @_noAllocation
  init(s: Bool, controller: UInt7, tool: Tool) { (self.s, self.controller, self.tool) = (s, controller, tool) }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    controller = UInt7(masking: packet[position])
    let octet = packet[position + 1]
    if octet.has(0x80) {
      tool = octet.has(0x40) ? .count(octet & 0x3F) : .toggle(octet & 0x3F)
    } else {
      tool = .value(UInt7(masking: octet))
    }
    position += 2
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= 2 else { return false }
    packet.append(.bit(0x80, if: s) | controller.value)
    switch tool {
    case .value(let value): packet.append(value.value)
    case .toggle(let count): packet.append(0x80 | count & 0x3F)
    case .count(let count): packet.append(0xC0 | count & 0x3F)
    }
    return true
  }
}
