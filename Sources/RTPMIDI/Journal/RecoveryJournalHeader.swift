import BasicContainers

/// The header of a packet's recovery journal (RFC 6295 section 5, figure 8), three octets:
///
///     S Y A H TOTCHAN[4] | checkpoint packet's sequence number 16
///
/// Behind it come the system journal, if Y, and TOTCHAN + 1 channel journals, if A, the channels ascending. With
/// neither the journal is empty: nothing was said in the packets from the checkpoint to the one before.
struct RecoveryJournalHeader: Hashable, Sendable, BitwiseCopyable {
  var s: Bool
  /// Y.
  var hasSystemJournal: Bool
  /// How many channel journals there are, 0...16.
  var channelJournals: Int
  /// H: the stream's Chapters C use the enhanced encoding.
  var isEnhanced: Bool
  /// The packet from which on the journal tells what was said. That of the packet itself in an empty journal.
  var checkpoint: UInt16

  static var length: Int { @_noLocks @_noAllocation get { 3 } }

  @_noLocks @_noAllocation
  init(s: Bool, hasSystemJournal: Bool, channelJournals: Int, isEnhanced: Bool, checkpoint: UInt16) {
    (self.s, self.hasSystemJournal, self.channelJournals) = (s, hasSystemJournal, channelJournals)
    (self.isEnhanced, self.checkpoint) = (isEnhanced, checkpoint)
  }

  /// Reads the header at `position` and moves that past it; nil when it reaches beyond `end`.
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

  /// Returns false, with nothing appended, when there is no room.
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
