import BasicContainers
import MIDI

/// Encoding of the recovery journal of a packet (RFC 6295 section 5).
extension CheckpointHistory {
  /// Appends the journal of packet `next`, which is being encoded. The journal covers the packets from the checkpoint
  /// to `next` - 1. If the journal does not fit into `room` octets, the oldest entries are discarded.
  ///
  /// - Returns: false, with nothing appended, if there is no room for an empty journal of three octets.
  @_noLocks @_noAllocation
  mutating func appendJournal(of next: UInt16, to packet: inout RigidArray<UInt8>, room: Int) -> Bool {
    limitSpan(before: next)
    let start = packet.count
    while true {
      if write(next, to: &packet), packet.count - start <= room { return true }
      packet.removeLast(packet.count - start)
      guard discardOldest(before: next) else { return false }
    }
  }

  @_noLocks @_noAllocation
  private func write(_ next: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    let last = next &- 1
    // The chapters of each channel, and among them the chapters that code a command of the last packet.
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
    let header = RecoveryJournalHeader(
      s: systemIsUpdated ? false : anyUpdated == 0, hasSystemJournal: hasSystem, channelJournals: channelJournals,
      isEnhanced: isEnhanced, checkpoint: checkpoint)
    guard header.append(to: &packet) else { return false }
    if hasSystem {
      let isWritten = writeSystem(s: !systemIsUpdated, hasExclusives: hasExclusives, last: last, to: &packet)
      guard isWritten else { return false }
    }
    if channelJournals == 0 { return true }
    for channel in 0..<16 where present[channel] != 0 {
      let wire = Channel(wire: UInt8(truncatingIfNeeded: channel))
      guard write(wire, present[channel], updated[channel], last: last, to: &packet) else { return false }
    }
    return true
  }

  @_noLocks @_noAllocation
  private func writeSystem(
    s: Bool, hasExclusives: Bool, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let start = packet.count
    var header = SystemJournalHeader(
      s: s, hasD: system.hasD, hasV: system.hasV, hasQ: system.hasQ, hasF: system.hasF, hasX: hasExclusives, length: 2)
    guard header.append(to: &packet), system.append(to: &packet, last: last) else { return false }
    if hasExclusives { guard exclusives.append(to: &packet, last: last) else { return false } }
    header.length = packet.count - start
    guard header.length <= 1023 else { return false }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }
}
