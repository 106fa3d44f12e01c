import BasicContainers

/// The header of a recovery journal (RFC 6295 section 5, figure 8): three octets. [n] stands for n bits.
///
///     S Y A H TOTCHAN[4] | checkpoint packet's sequence number[16]
///
/// The system journal follows if Y is set, then TOTCHAN + 1 channel journals in ascending order of channels if A is
/// set. With neither, the journal is empty: the packets from the checkpoint to the previous packet contain no commands.
struct RecoveryJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S ("single-packet loss"): false if the journal contains a command of the packet directly before the packet with
  /// the journal. If it is true, the journal contains nothing new for a receiver that lacks only that previous packet.
  /// Each system or channel journal, each chapter, and each log has an S bit of its own with the same meaning for its
  /// content.
  var s: Bool
  /// Y: the system journal is present.
  var hasSystemJournal: Bool
  /// A and TOTCHAN: the number of channel journals, 0...16.
  var channelJournals: Int
  /// H: Chapter C uses the enhanced encoding.
  var isEnhanced: Bool
  /// The sequence number of the checkpoint packet, the first packet that the journal covers. In an empty journal, it
  /// can be the number of the packet with the journal.
  var checkpoint: UInt16

  /// The size of the header in octets.
  static var length: Int { @_noLocks @_noAllocation get { 3 } }

  @_noLocks @_noAllocation
  init(s: Bool, hasSystemJournal: Bool, channelJournals: Int, isEnhanced: Bool, checkpoint: UInt16) {
    (self.s, self.hasSystemJournal, self.channelJournals) = (s, hasSystemJournal, channelJournals)
    (self.isEnhanced, self.checkpoint) = (isEnhanced, checkpoint)
  }

  /// Reads the header at `position` and advances `position` past it; nil if it extends beyond `end`.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position <= end - Self.length else { return nil }
    let flags = packet[position]
    s = flags.has(0x80)
    hasSystemJournal = flags.has(0x40)
    channelJournals = flags.has(0x20) ? Int(flags & 0x0F) + 1 : 0
    isEnhanced = flags.has(0x10)
    checkpoint = packet.uint16(at: position + 1)
    position += Self.length
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= Self.length else { return false }
    packet.append(
      .bit(0x80, if: s) | .bit(0x40, if: hasSystemJournal) | .bit(0x10, if: isEnhanced)
        | (channelJournals > 0 ? 0x20 | UInt8(truncatingIfNeeded: channelJournals - 1) & 0x0F : 0))
    packet.append(bigEndian: checkpoint)
    return true
  }
}
