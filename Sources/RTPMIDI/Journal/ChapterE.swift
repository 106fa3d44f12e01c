import BasicContainers
import MIDI

/// A log of Chapter E, what Chapter N leaves out of a note (RFC 6295, appendix A.7), two octets; ``LogCount`` says how
/// many there are:
///
///     S NOTENUM[7] | V COUNT/VEL[7]
struct NoteExtraLog: Hashable, Sendable, BitwiseCopyable {
  enum Extra: Hashable, Sendable, BitwiseCopyable {
    /// V=1: the velocity of the newest Note Off; needed when it is not 64.
    case releaseVelocity(UInt7)
    /// V=0: how many Note Ons have had no Note Off, at most 127; needed when there are more than one.
    case references(UInt7)
  }

  var s: Bool
  var key: UInt7
  var extra: Extra

  @_noLocks @_noAllocation
  init(s: Bool, key: UInt7, extra: Extra) { (self.s, self.key, self.extra) = (s, key, extra) }

  /// Reads the log at `position` and moves that past it; nil when it reaches beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - 2 else { return nil }
    s = packet[position].has(0x80)
    key = UInt7(masking: packet[position])
    let octet = packet[position + 1]
    extra = octet.has(0x80) ? .releaseVelocity(UInt7(masking: octet)) : .references(UInt7(masking: octet))
    position += 2
  }

  /// Returns false, with nothing appended, when there is no room.
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
