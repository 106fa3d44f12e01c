import MIDI
import Testing

@testable import RTPMIDI

/// The journal of a packet, decoded into arrays. A journal is rejected if a LENGTH differs from the size of its
/// contents, or if an S bit is wrong. The S bit of a header must be 1 if the S bits of all its parts are 1, and
/// otherwise 0. There are two exceptions: the S bit of Chapter M also depends on PENDING, and Chapter X has no header.
struct SentJournal {
  /// A channel journal. The properties `p`, `c`, `m`, `w`, `n` and `t` are the chapters with these letters or their headers (RFC 6295,
  /// appendix A). The properties `controllers`, `parameters` and `notes` are the logs of the chapter before them.
  struct Channel {
    var header: ChannelJournalHeader
    var p: ChapterP?
    /// The header of Chapter C.
    var c: LogList?
    var controllers: [NumberedLog] = []
    var m: ChapterM?
    var parameters: [ParameterLog] = []
    /// Chapter W: the pitch bend.
    var w: UInt14?
    var n: ChapterN?
    var notes: [NumberedLog] = []
    /// The keys whose bits are set in OFFBITS of Chapter N.
    var off: Set<UInt8> = []
    /// The logs of Chapter E.
    var extras: [NumberedLog] = []
    /// Chapter T: the channel pressure.
    var t: UInt7?
    /// The logs of Chapter A.
    var pressures: [NumberedLog] = []
    /// The S bits of the chapters. For Chapter N, these are the B bit, which concerns only Note Offs, and the S bits of the note logs.
    var s: [Bool] = []
  }

  var header: RecoveryJournalHeader
  var system: SystemJournalHeader?
  var d: ChapterD?
  /// Chapter V: the S bit, and the number of Active Sensing commands.
  var v: FlaggedValue?
  var q: ChapterQ?
  var f: ChapterF?
  /// The logs of Chapter X.
  var exclusives: [(log: ExclusiveLog, data: [UInt8])] = []
  var channels: [Channel] = []
  /// The size of the journal in octets.
  var count: Int

  /// The journal of `packet`.
  init(_ packet: [UInt8]) throws {
    let cursor = try CommandCursor(packet.span, payload: RTPHeader.decode(packet.span).payload)
    let extent = try #require(cursor.journal)
    try JournalCursor(packet.span, in: extent).check(in: packet.span)
    count = extent.count
    let end = extent.end
    var at = extent.start
    header = try RecoveryJournalHeader(packet.span, at: &at, end: end)
    if header.hasSystemJournal { try readSystem(packet, &at, end) }
    for _ in 0..<header.channelJournals {
      channels.append(try Self.readChannel(packet, &at, end))
    }
    try #require(at == end)
    let numbers = channels.map(\.header.channel.wire)
    try #require(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    let parts = channels.map(\.header.s) + (system.map { [$0.s] } ?? [])
    try #require(header.s == parts.allSatisfy { $0 })
  }

  /// The journal of the channel with this number, 1...16.
  subscript(channel: Int) -> Channel? { channels.first { $0.header.channel.number == channel } }

  private mutating func readSystem(_ packet: [UInt8], _ at: inout Int, _ limit: Int) throws {
    let header = try SystemJournalHeader(packet.span, at: &at, end: limit)
    let end = header.end
    system = header
    var s: [Bool] = []
    if header.chapters & 0x40 != 0 {
      let chapter = try ChapterD(packet.span, at: &at, end: end)
      let logs = [chapter.resets, chapter.tuneRequests, chapter.song].compactMap { $0?.flag }
      try #require(chapter.s == logs.allSatisfy { $0 })
      d = chapter
      s.append(chapter.s)
    }
    if header.chapters & 0x20 != 0 {
      let chapter = try FlaggedValue(packet.span, at: &at, end: end)
      v = chapter
      s.append(chapter.flag)
    }
    if header.chapters & 0x10 != 0 {
      let chapter = try ChapterQ(packet.span, at: &at, end: end)
      q = chapter
      s.append(q!.s)
    }
    if header.chapters & 0x08 != 0 {
      let chapter = try ChapterF(packet.span, at: &at, end: end)
      f = chapter
      s.append(f!.s)
    }
    if header.chapters & 0x04 != 0 {
      repeat {
        let log = try ExclusiveLog(packet.span, at: &at, end: end)
        let data = log.data.map { packet[$0.start..<$0.end].map { $0 & 0x7F } } ?? []
        exclusives.append((log, data))
      } while at < end
      // Chapter X has no header. The S bit of its first log is that of the chapter.
      s.append(exclusives[0].log.s)
      try #require(exclusives[0].log.s == false || exclusives.allSatisfy { $0.log.s })
    }
    try #require(at == end && header.s == s.allSatisfy { $0 } && !s.isEmpty)
  }

  private static func readChannel(_ packet: [UInt8], _ at: inout Int, _ limit: Int) throws -> Channel {
    var channel = Channel(header: try ChannelJournalHeader(packet.span, at: &at, end: limit))
    let end = channel.header.end
    let chapters = channel.header.chapters
    if chapters & 0x80 != 0 {  // P
      let chapter = try ChapterP(packet.span, at: &at, end: end)
      channel.p = chapter
      channel.s.append(channel.p!.s)
    }
    if chapters & 0x40 != 0 {  // C
      let list = try LogList(packet.span, at: &at, end: end)
      channel.c = list
      while at < list.logs.end { channel.controllers.append(try NumberedLog(packet.span, at: &at, end: end)) }
      try #require(list.s == channel.controllers.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    if chapters & 0x20 != 0 {  // M
      let chapter = try ChapterM(packet.span, at: &at, end: end)
      channel.m = chapter
      while at < chapter.end { channel.parameters.append(try ParameterLog(packet.span, at: &at, in: chapter)) }
      // S of Chapter M also depends on PENDING.
      if chapter.s { try #require(channel.parameters.allSatisfy { $0.s }) }
      channel.s.append(chapter.s)
    }
    if chapters & 0x10 != 0 {  // W
      let low = try FlaggedValue(packet.span, at: &at, end: end)
      let high = try FlaggedValue(packet.span, at: &at, end: end)
      try #require(!high.flag, "the reserved bit")
      channel.w = UInt14(low: low.value, high: high.value)
      channel.s.append(low.flag)
    }
    if chapters & 0x08 != 0 {  // N
      let chapter = try ChapterN(packet.span, at: &at, end: end)
      channel.n = chapter
      for _ in 0..<chapter.logs { channel.notes.append(try NumberedLog(packet.span, at: &at, end: end)) }
      for octet in 0..<chapter.bitFieldOctets {
        for bit in 0..<8 where packet[at + octet] & 0x80 >> UInt8(bit) != 0 {
          channel.off.insert(UInt8(8 * (chapter.low + octet) + bit))
        }
      }
      // The bit field has no unnecessary octets.
      if chapter.bitFieldOctets > 0 { try #require(packet[at] != 0 && packet[at + chapter.bitFieldOctets - 1] != 0) }
      at += chapter.bitFieldOctets
      channel.s += [chapter.s] + channel.notes.map(\.s)
    }
    if chapters & 0x04 != 0 {  // E
      let list = try LogList(packet.span, at: &at, end: end)
      while at < list.logs.end { channel.extras.append(try NumberedLog(packet.span, at: &at, end: end)) }
      try #require(list.s == channel.extras.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    if chapters & 0x02 != 0 {  // T
      let chapter = try FlaggedValue(packet.span, at: &at, end: end)
      channel.t = chapter.value
      channel.s.append(chapter.flag)
    }
    if chapters & 0x01 != 0 {  // A
      let list = try LogList(packet.span, at: &at, end: end)
      while at < list.logs.end { channel.pressures.append(try NumberedLog(packet.span, at: &at, end: end)) }
      try #require(list.s == channel.pressures.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    try #require(at == end && !channel.s.isEmpty && channel.header.s == channel.s.allSatisfy { $0 })
    return channel
  }
}
