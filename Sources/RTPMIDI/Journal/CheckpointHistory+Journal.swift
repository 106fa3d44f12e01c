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
      if appendSections(of: next, to: &packet), packet.count - start <= room { return true }
      packet.removeLast(packet.count - start)
      guard discardOldest(before: next) else { return false }
    }
  }

  /// Appends the header, the system journal and the channel journals of packet `next`.
  ///
  /// - Returns: false if the packet has no room or if a section is too long; the caller removes what was appended.
  @_noLocks @_noAllocation
  private func appendSections(of next: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
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
    let header = RecoveryJournalHeader(
      s: systemIsUpdated ? false : anyUpdated == 0, hasSystemJournal: hasSystem, channelJournals: channelJournals,
      isEnhanced: isEnhanced, checkpoint: checkpoint)
    guard header.append(to: &packet) else { return false }
    if hasSystem {
      let isAppended = appendSystemJournal(
        s: !systemIsUpdated, hasExclusives: hasExclusives, last: last, to: &packet)
      guard isAppended else { return false }
    }
    if channelJournals == 0 { return true }
    for index in 0..<16 where present[index] != 0 {
      let channel = Channel(wire: UInt8(truncatingIfNeeded: index))
      let isAppended = appendChannelJournal(
        of: channel, chapters: present[index], updated: updated[index], last: last, to: &packet)
      guard isAppended else { return false }
    }
    return true
  }

  /// Appends the system journal. Returns false if the packet has no room or if the journal is longer than its LENGTH
  /// field can express.
  ///
  /// - Parameters:
  ///   - s: the S bit, see ``RecoveryJournalHeader/s``.
  ///   - hasExclusives: whether the journal contains Chapter X.
  ///   - last: the sequence number of the packet directly before the one that is being encoded.
  @_noLocks @_noAllocation
  private func appendSystemJournal(
    s: Bool, hasExclusives: Bool, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let start = packet.count
    // The length is not known yet. The header is overwritten at the end.
    var header = SystemJournalHeader(
      s: s, hasD: system.hasD, hasV: system.hasV, hasQ: system.hasQ, hasF: system.hasF, hasX: hasExclusives,
      length: SystemJournalHeader.size)
    guard header.append(to: &packet), system.append(to: &packet, last: last) else { return false }
    if hasExclusives { guard exclusives.append(to: &packet, last: last) else { return false } }
    header.length = packet.count - start
    guard header.length <= SystemJournalHeader.maximumLength else { return false }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }
}
