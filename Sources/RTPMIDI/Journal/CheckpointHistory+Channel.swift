import BasicContainers
import MIDI

/// Encoding of channel journals, chapter by chapter (RFC 6295 section 5 and appendix A).
extension CheckpointHistory {
  /// Appends the channel journal of `channel`.
  ///
  /// - Parameters:
  ///   - present: the flags of the chapters to write.
  ///   - updated: the flags of the chapters that code a command of packet `last`; their S bits are 0.
  ///   - last: the sequence number of the packet directly before the current one.
  /// - Returns: false if the packet has no room, or if the journal or a list is too long; the caller removes what was
  ///   appended.
  @_noLocks @_noAllocation
  func write(
    _ channel: Channel, _ present: UInt8, _ updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let start = packet.count
    var header = ChannelJournalHeader(
      s: updated == 0, channel: channel, isEnhanced: isEnhanced && present.has(ChannelChapter.c.flag), length: 3,
      chapters: present)
    guard header.append(to: &packet) else { return false }
    if header.hasP { guard writeP(channel, last, to: &packet) else { return false } }
    if header.hasC { guard writeC(channel, updated, last, to: &packet) else { return false } }
    if header.hasM { guard writeM(channel, updated, last, to: &packet) else { return false } }
    if header.hasW { guard writeW(channel, last, to: &packet) else { return false } }
    if header.hasN { guard writeN(channel, last, to: &packet) else { return false } }
    if header.hasE { guard writeE(channel, updated, last, to: &packet) else { return false } }
    if header.hasT { guard writeT(channel, last, to: &packet) else { return false } }
    if header.hasA { guard writeA(channel, updated, last, to: &packet) else { return false } }
    header.length = packet.count - start
    guard header.length <= 1023 else { return false }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  @_noLocks @_noAllocation
  private func first(_ chapter: ChannelChapter, _ channel: Channel) -> HistoryEntry? {
    let chapterID = HistoryEntry.chapterID(chapter, channel)
    for index in 0..<entries.count where entries[index].chapterID == chapterID { return entries[index] }
    return nil
  }

  @_noLocks @_noAllocation
  private func writeP(_ channel: Channel, _ last: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    guard let entry = first(.p, channel) else { return false }
    let bank = ChapterP.Bank(
      high: UInt7(masking: entry.second), low: UInt7(masking: entry.third), isBeforeReset: entry.third.has(0x80))
    return ChapterP(
      s: entry.packet != last, program: UInt7(masking: entry.first), bank: entry.second.has(0x80) ? bank : nil
    ).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func writeW(_ channel: Channel, _ last: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    guard let entry = first(.w, channel) else { return false }
    let bend = UInt14(low: UInt7(masking: entry.first), high: UInt7(masking: entry.second))
    return ChapterW(s: entry.packet != last, bend: bend).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func writeT(_ channel: Channel, _ last: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    guard let entry = first(.t, channel) else { return false }
    return ChapterT(s: entry.packet != last, pressure: UInt7(masking: entry.first)).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func writeA(
    _ channel: Channel, _ updated: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.a, channel)
    let start = packet.count
    var header = LogListHeader(s: !updated.has(ChannelChapter.a.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      let log = PressureLog(
        s: entry.packet != last, key: UInt7(masking: entry.number), isBeforeReset: false,
        pressure: UInt7(masking: entry.first))
      guard log.append(to: &packet) else { return false }
      header.logs += 1
    }
    packet[start] = header.octet
    return true
  }

  /// Appends Chapter C. In the default encoding, each controller has one log: a value, or a count if the command is an
  /// action (120...127 except 122). In the enhanced encoding, each command has a log of its count, a log of its value,
  /// and for the pedals a log of its toggle count.
  @_noLocks @_noAllocation
  private func writeC(
    _ channel: Channel, _ updated: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.c, channel)
    let start = packet.count
    var header = LogListHeader(s: !updated.has(ChannelChapter.c.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      let controller = UInt7(masking: entry.number)
      let isAction = entry.number >= 120 && entry.number != 122
      var log = ControllerLog(s: entry.packet != last, controller: controller, tool: .count(entry.second))
      if isEnhanced || isAction {
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
      if isEnhanced || !isAction {
        log.tool = .value(UInt7(masking: entry.first))
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
      if isEnhanced, entry.number >= 64, entry.number <= 69 {
        log.tool = .toggle(entry.third)
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
    }
    guard header.logs <= 128 else { return false }
    packet[start] = header.octet
    return true
  }

  @_noLocks @_noAllocation
  private func writeM(
    _ channel: Channel, _ updated: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.m, channel)
    let state = channels[Int(channel.wire)]
    let isNonRegistered = state.isNonRegistered ?? false
    let start = packet.count
    var header = ChapterM(
      s: !updated.has(ChannelChapter.m.flag), pending: nil, isInProgress: false, allRegistered: true,
      allNonRegistered: true, allBelow128: true, length: 2)
    if state.isPending {
      header.pending = ChapterM.Pending(isNonRegistered: isNonRegistered, high: state.selection.high)
    } else {
      header.isInProgress = !state.selection.isNull
    }
    var logs = 0
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      guard entries[index].number != HistoryEntry.selection else { continue }
      let parameter = parameters[Int(entries[index].number)]
      if parameter.isNonRegistered { header.allRegistered = false } else { header.allNonRegistered = false }
      if parameter.number.high.value > 0 { header.allBelow128 = false }
      logs += 1
    }
    if logs == 0 {
      header.allRegistered = false
      header.allNonRegistered = false
      header.allBelow128 = false
    }
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      guard entry.number != HistoryEntry.selection else { continue }
      let log = parameters[Int(entry.number)].log(s: entry.packet != last)
      guard log.append(to: &packet, in: header) else { return false }
    }
    header.length = packet.count - start
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  /// Appends Chapter N: the logs of the notes that are on, and the bits of the notes that have ended. The Y bit of
  /// every log is set, so that the receiver plays a recovered note even if it is late: notes held at the sender are
  /// then also held at the receiver.
  @_noLocks @_noAllocation
  private func writeN(_ channel: Channel, _ last: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    let chapterID = HistoryEntry.chapterID(.n, channel)
    let start = packet.count
    var header = ChapterN(s: true, logs: 0, low: 15, high: 0)
    guard header.append(to: &packet) else { return false }
    var off = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      if entry.isNoteOn {
        let log = NoteLog(
          s: entry.packet != last, key: UInt7(masking: entry.number), isPlayRecommended: true,
          velocity: UInt7(masking: entry.first))
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      } else {
        let octet = Int(entry.number >> 3)
        off[octet] |= 0x80 >> (entry.number & 7)
        if entry.packet == last { header.s = false }
        if octet < header.low { header.low = octet }
        if octet > header.high { header.high = octet }
      }
    }
    // For notes 120...127 alone, `low` is 15 as in an empty list.
    if off[15] != 0 { header.high = 15 }
    if header.low <= header.high {
      guard packet.freeCapacity >= header.bitFieldOctets else { return false }
      for octet in header.low...header.high { packet.append(off[octet]) }
    }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  @_noLocks @_noAllocation
  private func writeE(
    _ channel: Channel, _ updated: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.n, channel)
    let start = packet.count
    var header = LogListHeader(s: !updated.has(ChannelChapter.e.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      var log = NoteExtraLog(
        s: entry.packet != last, key: UInt7(masking: entry.number), extra: .references(UInt7(masking: entry.second)))
      if entry.hasReferences {
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
      if entry.hasReleaseVelocity {
        log.extra = .releaseVelocity(UInt7(masking: entry.first))
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
    }
    guard header.logs <= 128 else { return false }
    packet[start] = header.octet
    return true
  }
}
