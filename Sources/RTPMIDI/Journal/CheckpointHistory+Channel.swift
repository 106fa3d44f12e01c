import BasicContainers
import MIDI

/// Encoding of channel journals, chapter by chapter (RFC 6295 section 5 and appendix A).
///
/// The contents of `first`, `second`, `third` and `number` of an entry depend on the chapter: see the table of
/// ``HistoryEntry``.
///
/// In all functions, `last` is the sequence number of the packet directly before the one that is being encoded. An S
/// bit is 0 if its element (journal, chapter or log) contains a command of packet `last`, and 1 otherwise. The S bit of
/// a log, and of a chapter with one entry, follows from the entry. The S bits in the headers of chapters with several
/// logs follow from `updated`, which contains the flags of the chapters with a command of packet `last`.
///
/// The functions return false if the packet has no room, or if the journal or a list is longer than its length field can
/// express. The caller then removes what was appended.
extension CheckpointHistory {
  /// Appends the channel journal of `channel`, with the chapters whose flags are set in `chapters`.
  @_noLocks @_noAllocation
  func appendChannelJournal(
    of channel: Channel, chapters: UInt8, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let start = packet.count
    // The length is not known yet. The first word of the header is overwritten at the end.
    var header = ChannelJournalHeader(
      s: updated == 0, channel: channel, isEnhanced: isEnhanced && chapters.has(ChannelChapter.c.flag),
      length: ChannelJournalHeader.size, chapters: chapters)
    guard header.append(to: &packet) else { return false }
    if header.hasP { guard appendChapterP(of: channel, last: last, to: &packet) else { return false } }
    if header.hasC {
      guard appendChapterC(of: channel, updated: updated, last: last, to: &packet) else { return false }
    }
    if header.hasM {
      guard appendChapterM(of: channel, updated: updated, last: last, to: &packet) else { return false }
    }
    if header.hasW { guard appendChapterW(of: channel, last: last, to: &packet) else { return false } }
    if header.hasN { guard appendChapterN(of: channel, last: last, to: &packet) else { return false } }
    if header.hasE {
      guard appendChapterE(of: channel, updated: updated, last: last, to: &packet) else { return false }
    }
    if header.hasT { guard appendChapterT(of: channel, last: last, to: &packet) else { return false } }
    if header.hasA {
      guard appendChapterA(of: channel, updated: updated, last: last, to: &packet) else { return false }
    }
    header.length = packet.count - start
    guard header.length <= ChannelJournalHeader.maximumLength else { return false }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  /// Returns the entry of a chapter that has at most one entry for each channel.
  @_noLocks @_noAllocation
  private func entry(of chapter: ChannelChapter, on channel: Channel) -> HistoryEntry? {
    let chapterID = HistoryEntry.chapterID(chapter, channel)
    for index in 0..<entries.count where entries[index].chapterID == chapterID { return entries[index] }
    return nil
  }

  @_noLocks @_noAllocation
  private func appendChapterP(
    of channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard let entry = entry(of: .p, on: channel) else { return false }
    let bank = ChapterP.Bank(
      high: UInt7(masking: entry.second), low: UInt7(masking: entry.third), isBeforeReset: entry.third.has(0x80))
    return ChapterP(
      s: entry.packet != last, program: UInt7(masking: entry.first), bank: entry.second.has(0x80) ? bank : nil
    ).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func appendChapterW(
    of channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard let entry = entry(of: .w, on: channel) else { return false }
    let bend = UInt14(low: UInt7(masking: entry.first), high: UInt7(masking: entry.second))
    return ChapterW(s: entry.packet != last, bend: bend).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func appendChapterT(
    of channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard let entry = entry(of: .t, on: channel) else { return false }
    return ChapterT(s: entry.packet != last, pressure: UInt7(masking: entry.first)).append(to: &packet)
  }

  @_noLocks @_noAllocation
  private func appendChapterA(
    of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.a, channel)
    let start = packet.count
    // The number of logs is not known yet. The header is overwritten at the end.
    var header = LogListHeader(s: !updated.has(ChannelChapter.a.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      // Reset All Controllers removes the earlier pressures from the history, so none of them is before a reset.
      let log = PressureLog(
        s: entry.packet != last, key: UInt7(masking: entry.number), isBeforeReset: false,
        pressure: UInt7(masking: entry.first))
      guard log.append(to: &packet) else { return false }
      // At most 128 logs, one for each key.
      header.logs += 1
    }
    packet[start] = header.octet
    return true
  }

  /// Appends Chapter C.
  ///
  /// In the default encoding, each controller has one log. It is a count log if the command is an action (controllers
  /// 120...127 except 122, Local Control); otherwise, it is a value log. In the enhanced encoding, each command has a
  /// count log and a value log, and a command of pedals 64...69 also has a toggle log.
  @_noLocks @_noAllocation
  private func appendChapterC(
    of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.c, channel)
    let start = packet.count
    // The number of logs is not known yet. The header is overwritten at the end.
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
    guard header.logs <= LogListHeader.maximumLogs else { return false }
    packet[start] = header.octet
    return true
  }

  /// Appends Chapter M: its header, and a log for each parameter that was selected or changed since the checkpoint.
  @_noLocks @_noAllocation
  private func appendChapterM(
    of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.m, channel)
    let state = channels[Int(channel.wire)]
    let isNonRegistered = state.isNonRegistered ?? false
    let start = packet.count
    // The length is not known yet. The first word of the header is overwritten at the end.
    var header = ChapterM(
      s: !updated.has(ChannelChapter.m.flag), pending: nil, isInProgress: false, allRegistered: true,
      allNonRegistered: true, allBelow128: true, length: 2)
    if state.isPending {
      header.pending = ChapterM.Pending(isNonRegistered: isNonRegistered, high: state.selection.high)
    } else {
      header.isInProgress = !state.selection.isNull
    }
    // The flags U, W and Z apply to all logs, so they are needed before the first log is appended.
    var logs = 0
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      guard entries[index].number != HistoryEntry.selection else { continue }
      let parameter = parameters[Int(entries[index].number)]
      if parameter.isNonRegistered { header.allRegistered = false } else { header.allNonRegistered = false }
      if parameter.number.high.value > 0 { header.allBelow128 = false }
      logs += 1
    }
    // Without logs, all three flags would be set.
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

  /// Appends Chapter N: a log for each note that is on, and a bit for each note that has ended. The Y bit of every log
  /// is set, so that the receiver plays a recovered note even if it is late. Notes that are held at the sender are then
  /// also held at the receiver.
  @_noLocks @_noAllocation
  private func appendChapterN(
    of channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let chapterID = HistoryEntry.chapterID(.n, channel)
    let start = packet.count
    // `s` is the B bit of the RFC, which concerns Note Offs only. A `low` above `high` means no bit field. The header is
    // overwritten at the end.
    var header = ChapterN(s: true, logs: 0, low: 15, high: 0)
    guard header.append(to: &packet) else { return false }
    // One bit for each note: 1 if the newest command is a Note Off.
    var bitField = InlineArray<16, UInt8>(repeating: 0)
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
        bitField[octet] |= 0x80 >> (entry.number & 7)
        if entry.packet == last { header.s = false }
        if octet < header.low { header.low = octet }
        if octet > header.high { header.high = octet }
      }
    }
    if header.low <= header.high {
      guard packet.freeCapacity >= header.bitFieldOctets else { return false }
      for octet in header.low...header.high { packet.append(bitField[octet]) }
    }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  /// Appends Chapter E: a log for each reference count and each release velocity that Chapter N does not imply.
  @_noLocks @_noAllocation
  private func appendChapterE(
    of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    // Chapter E is encoded from the entries of Chapter N.
    let chapterID = HistoryEntry.chapterID(.n, channel)
    let start = packet.count
    // The number of logs is not known yet. The header is overwritten at the end.
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
    guard header.logs <= LogListHeader.maximumLogs else { return false }
    packet[start] = header.octet
    return true
  }
}
