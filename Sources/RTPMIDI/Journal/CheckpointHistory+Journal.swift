import BasicContainers
import MIDI

/// Encoding of the recovery journal of a packet (RFC 6295 section 5).
extension CheckpointHistory {
  /// Appends the journal of packet `next`, which is being encoded. The journal covers the packets from the checkpoint
  /// to `next` - 1. If the journal does not fit into `room` octets, the oldest entries are discarded.
  ///
  /// - Returns: false, with nothing appended, if there is no room for an empty journal of three octets. The history is
  ///   then empty.
  @_noLocks @_noAllocation
  mutating func appendJournal(of next: UInt16, to packet: inout RigidArray<UInt8>, room: Int) -> Bool {
    // The checkpoint must not be so far back that its sequence number becomes ambiguous.
    limitSpan(before: next)
    let start = packet.count
    while true {
      do throws(JournalOverflow) {
        try appendSections(of: next, to: &packet)
        if packet.count - start <= room { return true }
      } catch {}
      packet.removeLast(packet.count - start)
      guard discardOldest(before: next) else { return false }
    }
  }

  /// Appends the header, the system journal and the channel journals of packet `next`.
  @_noLocks @_noAllocation
  private func appendSections(of next: UInt16, to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    let last = next &- 1
    // For each channel: the flags of the chapters to encode, and the flags of the chapters with a command of packet
    // `last`.
    var present = InlineArray<16, UInt8>(repeating: 0)
    var updated = InlineArray<16, UInt8>(repeating: 0)
    var channelJournals = 0
    var anyUpdated: UInt8 = 0
    for index in 0..<entries.count {
      let entry = entries[index]
      let channel = Int(entry.chapterID >> 4)
      let flags = entry.flags
      if present[channel] == 0 { channelJournals += 1 }
      present[channel] |= flags
      if entry.packet == last {
        updated[channel] |= flags
        anyUpdated |= flags
      }
    }
    let hasExclusives = exclusives.hasCommands(since: checkpoint)
    let hasSystem = hasExclusives ? true : !system.isEmpty
    var systemIsUpdated = system.isUpdated(by: last)
    if hasExclusives, exclusives.isUpdated(by: last) { systemIsUpdated = true }
    // The S bit of the recovery journal is set if neither the system journal nor a channel journal contains a command of packet
    // `last`.
    try RecoveryJournalHeader(
      s: systemIsUpdated ? false : anyUpdated == 0, hasSystemJournal: hasSystem, channelJournals: channelJournals,
      isEnhanced: isEnhanced, checkpoint: checkpoint
    ).append(to: &packet)
    if hasSystem {
      let start = packet.count
      let chapters = system.chapters | .bit(0x04, if: hasExclusives)
      try SystemJournalHeader.append(s: !systemIsUpdated, chapters: chapters, to: &packet)
      try system.append(to: &packet, last: last)
      if hasExclusives { try exclusives.append(to: &packet, last: last) }
      try packet.writeLength(ofSectionAt: start)
    }
    if channelJournals == 0 { return }
    for index in 0..<16 where present[index] != 0 {
      let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
      try appendChannelJournal(
        of: channel, chapters: present[index], updated: updated[index], last: last, to: &packet)
    }
  }
}
