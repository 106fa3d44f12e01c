import BasicContainers
import MIDI

/// The journal of a channel, chapter by chapter (RFC 6295 section 5 and appendix A).
extension CheckpointHistory {
  /// Appends the journal of `channel`, with the chapters of `present`; those of `fresh` tell something of packet `last`.
  @_noLocks @_noAllocation
  func write(
    _ channel: Channel, _ present: UInt8, _ fresh: UInt8, last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let start = packet.count
    var header = ChannelJournalHeader(
      s: fresh == 0, channel: channel, isEnhanced: isEnhanced && present.has(ChannelChapter.c.flag), length: 3,
      chapters: present)
    guard header.append(to: &packet) else { return false }
    if header.hasP { guard writeP(channel, last, to: &packet) else { return false } }
    if header.hasC { guard writeC(channel, fresh, last, to: &packet) else { return false } }
    if header.hasM { guard writeM(channel, fresh, last, to: &packet) else { return false } }
    if header.hasW { guard writeW(channel, last, to: &packet) else { return false } }
    if header.hasN { guard writeN(channel, last, to: &packet) else { return false } }
    if header.hasE { guard writeE(channel, fresh, last, to: &packet) else { return false } }
    if header.hasT { guard writeT(channel, last, to: &packet) else { return false } }
    if header.hasA { guard writeA(channel, fresh, last, to: &packet) else { return false } }
    header.length = packet.count - start
    guard header.length <= 1023 else { return false }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  @_noLocks @_noAllocation
  private func first(_ chapter: ChannelChapter, _ channel: Channel) -> HistoryEntry? {
    let place = HistoryEntry.place(chapter, channel)
    for index in 0..<entries.count where entries[index].place == place { return entries[index] }
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
    _ channel: Channel, _ fresh: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let place = HistoryEntry.place(.a, channel)
    let start = packet.count
    var header = LogCount(s: !fresh.has(ChannelChapter.a.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].place == place {
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

  /// One tool a controller: its value, or, where the act is what matters, how often it was sent. The enhanced encoding
  /// tells of each command the count, the value, and of pedals the toggles.
  @_noLocks @_noAllocation
  private func writeC(
    _ channel: Channel, _ fresh: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let place = HistoryEntry.place(.c, channel)
    let start = packet.count
    var header = LogCount(s: !fresh.has(ChannelChapter.c.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].place == place {
      let entry = entries[index]
      let controller = UInt7(masking: entry.number)
      let isAct = entry.number >= 120 && entry.number != 122
      var log = ControllerLog(s: entry.packet != last, controller: controller, tool: .count(entry.second))
      if isEnhanced || isAct {
        guard log.append(to: &packet) else { return false }
        header.logs += 1
      }
      if isEnhanced || !isAct {
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
    _ channel: Channel, _ fresh: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let place = HistoryEntry.place(.m, channel)
    let state = channels[Int(channel.wire)]
    let isNonRegistered = state.isNonRegistered ?? false
    let start = packet.count
    var header = ChapterM(
      s: !fresh.has(ChannelChapter.m.flag), pending: nil, isInProgress: false, allRegistered: true,
      allNonRegistered: true, allBelow128: true, length: 2)
    if state.isPending {
      header.pending = ChapterM.Pending(isNonRegistered: isNonRegistered, high: state.selection.high)
    } else {
      header.isInProgress = !state.selection.isNull
    }
    var logs = 0
    for index in 0..<entries.count where entries[index].place == place {
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
    for index in 0..<entries.count where entries[index].place == place {
      let entry = entries[index]
      guard entry.number != HistoryEntry.selection else { continue }
      let log = parameters[Int(entry.number)].log(s: entry.packet != last)
      guard log.append(to: &packet, in: header) else { return false }
    }
    header.length = packet.count - start
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  /// The logs of notes that sound, and the bits of those that have ended. Every note is to sound, late or not: what is
  /// held at this end is to be held at the other.
  @_noLocks @_noAllocation
  private func writeN(_ channel: Channel, _ last: UInt16, to packet: inout RigidArray<UInt8>) -> Bool {
    let place = HistoryEntry.place(.n, channel)
    let start = packet.count
    var header = ChapterN(s: true, logs: 0, low: 15, high: 0)
    guard header.append(to: &packet) else { return false }
    var off = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<entries.count where entries[index].place == place {
      let entry = entries[index]
      if entry.isNoteOn {
        let log = NoteLog(
          s: entry.packet != last, key: UInt7(masking: entry.number), isToSound: true,
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
    // Notes 120...127 alone leave `low` where an empty list has it.
    if off[15] != 0 { header.high = 15 }
    if header.low <= header.high {
      guard packet.freeCapacity >= header.offOctets else { return false }
      for octet in header.low...header.high { packet.append(off[octet]) }
    }
    packet.replace(at: start, bigEndian: header.word)
    return true
  }

  @_noLocks @_noAllocation
  private func writeE(
    _ channel: Channel, _ fresh: UInt8, _ last: UInt16, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let place = HistoryEntry.place(.n, channel)
    let start = packet.count
    var header = LogCount(s: !fresh.has(ChannelChapter.e.flag), logs: 0)
    guard header.append(to: &packet) else { return false }
    for index in 0..<entries.count where entries[index].place == place {
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
