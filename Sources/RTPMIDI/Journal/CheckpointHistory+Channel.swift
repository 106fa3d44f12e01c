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
/// The caller of ``appendChannelJournal(of:chapters:updated:last:to:)`` removes what was appended if the function throws.
extension CheckpointHistory {
  /// Appends the channel journal of `channel`, with the chapters whose flags are set in `chapters`.
  @_noLocks @_noAllocation
  func appendChannelJournal(
    of channel: Channel, chapters: UInt8, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let start = packet.count
    try ChannelJournalHeader.append(
      s: updated == 0, channel: channel, isEnhanced: isEnhanced && chapters.has(ChannelChapter.c.flag),
      chapters: chapters, to: &packet)
    if chapters.has(ChannelChapter.p.flag) { try appendEntry(of: .p, channel, last: last, to: &packet) }
    if chapters.has(ChannelChapter.c.flag) {
      try appendList(.c, of: channel, updated: updated, last: last, to: &packet)
    }
    if chapters.has(ChannelChapter.m.flag) {
      try appendChapterM(of: channel, updated: updated, last: last, to: &packet)
    }
    if chapters.has(ChannelChapter.w.flag) { try appendEntry(of: .w, channel, last: last, to: &packet) }
    if chapters.has(ChannelChapter.n.flag) { try appendChapterN(of: channel, last: last, to: &packet) }
    if chapters.has(ChannelChapter.e.flag) {
      try appendList(.e, of: channel, updated: updated, last: last, to: &packet)
    }
    if chapters.has(ChannelChapter.t.flag) { try appendEntry(of: .t, channel, last: last, to: &packet) }
    if chapters.has(ChannelChapter.a.flag) {
      try appendList(.a, of: channel, updated: updated, last: last, to: &packet)
    }
    try packet.writeLength(ofSectionAt: start)
  }

  /// Appends Chapter P, W or T. Each has one entry for a channel.
  @_noLocks @_noAllocation
  private func appendEntry(
    of chapter: ChannelChapter, _ channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let chapterID = HistoryEntry.chapterID(chapter, channel)
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      let first = FlaggedValue(entry.packet != last, UInt7(masking: entry.first))
      switch chapter {
      case .p:
        let bank = ChapterP.Bank(
          high: UInt7(masking: entry.second), low: UInt7(masking: entry.third), isBeforeReset: entry.third.has(0x80))
        try ChapterP(s: first.flag, program: first.value, bank: entry.second.has(0x80) ? bank : nil).append(to: &packet)
      case .w:
        try first.append(to: &packet)
        try packet.write(entry.second)
      default: try first.append(to: &packet)
      }
    }
  }

  /// Appends Chapter C, E or A: its header and its logs, the oldest first.
  @_noLocks @_noAllocation
  private func appendList(
    _ chapter: ChannelChapter, of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    // Chapter E is encoded from the entries of Chapter N.
    let isExtras = chapter.flag == ChannelChapter.e.flag
    let chapterID = HistoryEntry.chapterID(isExtras ? .n : chapter, channel)
    let start = packet.count
    try packet.write(.bit(0x80, if: !updated.has(chapter.flag)) as UInt8)
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      let s = entry.packet != last
      switch chapter {
      case .c: try appendControllerLogs(of: entry, s: s, to: &packet)
      case .e: try appendNoteExtraLogs(of: entry, s: s, to: &packet)
      default:
        // Reset All Controllers removes the earlier pressures from the history, so none of them is before a reset.
        try NumberedLog(
          s: s, number: UInt7(masking: entry.number), flag: false, value: UInt7(masking: entry.first)
        ).append(to: &packet)
      }
    }
    try LogList.writeCount(at: start, of: &packet)
  }

  /// Appends the logs of a control change.
  ///
  /// In the default encoding, each controller has one log. It is a count log if the command is an action (controllers
  /// 120...127 except 122, Local Control); otherwise, it is a value log. In the enhanced encoding, each command has a
  /// count log and a value log, and a command of pedals 64...69 also has a toggle log.
  @_noLocks @_noAllocation
  private func appendControllerLogs(
    of entry: HistoryEntry, s: Bool, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let controller = UInt7(masking: entry.number)
    let isAction = entry.number >= 120 && entry.number != 122
    if isEnhanced || isAction {
      try NumberedLog(s: s, controller: controller, tool: .count(entry.second)).append(to: &packet)
    }
    if isEnhanced || !isAction {
      try NumberedLog(s: s, controller: controller, tool: .value(UInt7(masking: entry.first))).append(to: &packet)
    }
    if isEnhanced, entry.number >= 64, entry.number <= 69 {
      try NumberedLog(s: s, controller: controller, tool: .toggle(entry.third)).append(to: &packet)
    }
  }

  /// Appends a log of Chapter E for the reference count and for the release velocity of a note, unless Chapter N implies
  /// it.
  @_noLocks @_noAllocation
  private func appendNoteExtraLogs(
    of entry: HistoryEntry, s: Bool, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let key = UInt7(masking: entry.number)
    if entry.hasReferences {
      try NumberedLog(s: s, number: key, flag: false, value: UInt7(masking: entry.second)).append(to: &packet)
    }
    if entry.hasReleaseVelocity {
      try NumberedLog(s: s, number: key, flag: true, value: UInt7(masking: entry.first)).append(to: &packet)
    }
  }

  /// Appends Chapter M: its header, and a log for each parameter that was selected or changed since the checkpoint.
  @_noLocks @_noAllocation
  private func appendChapterM(
    of channel: Channel, updated: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let chapterID = HistoryEntry.chapterID(.m, channel)
    let selection = channels[Int(channel.wire)].selection
    let start = packet.count
    let pending = FlaggedValue(selection.isNonRegistered, selection.number.high)
    var header = ChapterM(
      s: !updated.has(ChannelChapter.m.flag), pending: selection.isPending ? pending : nil,
      isInProgress: !selection.isPending && !selection.isNone, allRegistered: true, allNonRegistered: true,
      allBelow128: true)
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
    if logs == 0 { (header.allRegistered, header.allNonRegistered, header.allBelow128) = (false, false, false) }
    try header.append(to: &packet)
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      guard entry.number != HistoryEntry.selection else { continue }
      try parameters[Int(entry.number)].log(s: entry.packet != last).append(to: &packet, in: header)
    }
    try packet.writeLength(ofSectionAt: start)
  }

  /// Appends Chapter N: a log for each note that is on, and a bit for each note that has ended. The Y bit of every log
  /// is set, so that the receiver plays a recovered note even if it is late. Notes that are held at the sender are then
  /// also held at the receiver.
  @_noLocks @_noAllocation
  private func appendChapterN(
    of channel: Channel, last: UInt16, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let chapterID = HistoryEntry.chapterID(.n, channel)
    let start = packet.count
    // `s` is the B bit of the RFC, which concerns Note Offs only. A `low` above `high` means no bit field. The header is
    // overwritten at the end.
    var header = ChapterN(s: true, logs: 0, low: 15, high: 0)
    try packet.write(header.word)
    // One bit for each note: 1 if the newest command is a Note Off.
    var bitField = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<entries.count where entries[index].chapterID == chapterID {
      let entry = entries[index]
      if entry.isNoteOn {
        try NumberedLog(
          s: entry.packet != last, number: UInt7(masking: entry.number), flag: true, value: UInt7(masking: entry.first)
        ).append(to: &packet)
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
      for octet in header.low...header.high { try packet.write(bitField[octet]) }
    }
    packet.replace(at: start, bigEndian: header.word)
  }
}
