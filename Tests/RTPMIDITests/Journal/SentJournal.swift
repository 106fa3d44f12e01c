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
    var c: LogListHeader?
    var controllers: [ControllerLog] = []
    var m: ChapterM?
    var parameters: [ParameterLog] = []
    var w: ChapterW?
    var n: ChapterN?
    var notes: [NoteLog] = []
    /// The keys whose bits are set in OFFBITS of Chapter N.
    var off: Set<UInt8> = []
    /// The logs of Chapter E.
    var extras: [NoteExtraLog] = []
    var t: ChapterT?
    /// The logs of Chapter A.
    var pressures: [PressureLog] = []
    /// The S bits of the chapters. For Chapter N, these are the B bit, which concerns only Note Offs, and the S bits of the note logs.
    var s: [Bool] = []
  }

  var header: RecoveryJournalHeader
  var system: SystemJournalHeader?
  var d: ChapterD?
  var v: ChapterV?
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
    header = try #require(RecoveryJournalHeader(packet.span, at: &at, end: end))
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
    let start = at
    let header = try #require(SystemJournalHeader(packet.span, at: &at, end: limit))
    let end = start + header.length
    system = header
    var s: [Bool] = []
    if header.hasD {
      let chapter = try #require(ChapterD(packet.span, at: &at, end: end))
      let logs = [chapter.resets, chapter.tuneRequests, chapter.song].compactMap { $0?.s }
      try #require(chapter.s == logs.allSatisfy { $0 })
      d = chapter
      s.append(chapter.s)
    }
    if header.hasV {
      let chapter = try #require(ChapterV(packet.span, at: &at, end: end))
      v = chapter
      s.append(v!.s)
    }
    if header.hasQ {
      let chapter = try #require(ChapterQ(packet.span, at: &at, end: end))
      q = chapter
      s.append(q!.s)
    }
    if header.hasF {
      let chapter = try #require(ChapterF(packet.span, at: &at, end: end))
      f = chapter
      s.append(f!.s)
    }
    if header.hasX {
      repeat {
        let log = try #require(ExclusiveLog(packet.span, at: &at, end: end))
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
    let start = at
    var channel = Channel(header: try #require(ChannelJournalHeader(packet.span, at: &at, end: limit)))
    let end = start + channel.header.length
    if channel.header.hasP {
      let chapter = try #require(ChapterP(packet.span, at: &at, end: end))
      channel.p = chapter
      channel.s.append(channel.p!.s)
    }
    if channel.header.hasC {
      let list = try #require(LogListHeader(packet.span, at: &at, end: end))
      channel.c = list
      for _ in 0..<list.logs { channel.controllers.append(try #require(ControllerLog(packet.span, at: &at, end: end))) }
      try #require(list.s == channel.controllers.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    if channel.header.hasM {
      let first = at
      let chapter = try #require(ChapterM(packet.span, at: &at, end: end))
      channel.m = chapter
      while at < first + chapter.length {
        let log = ParameterLog(packet.span, at: &at, end: first + chapter.length, in: chapter)
        channel.parameters.append(try #require(log))
      }
      // S of Chapter M also depends on PENDING.
      if chapter.s { try #require(channel.parameters.allSatisfy { $0.s }) }
      channel.s.append(chapter.s)
    }
    if channel.header.hasW {
      let chapter = try #require(ChapterW(packet.span, at: &at, end: end))
      channel.w = chapter
      channel.s.append(channel.w!.s)
    }
    if channel.header.hasN {
      let chapter = try #require(ChapterN(packet.span, at: &at, end: end))
      channel.n = chapter
      for _ in 0..<chapter.logs { channel.notes.append(try #require(NoteLog(packet.span, at: &at, end: end))) }
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
    if channel.header.hasE {
      let list = try #require(LogListHeader(packet.span, at: &at, end: end))
      for _ in 0..<list.logs { channel.extras.append(try #require(NoteExtraLog(packet.span, at: &at, end: end))) }
      try #require(list.s == channel.extras.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    if channel.header.hasT {
      let chapter = try #require(ChapterT(packet.span, at: &at, end: end))
      channel.t = chapter
      channel.s.append(channel.t!.s)
    }
    if channel.header.hasA {
      let list = try #require(LogListHeader(packet.span, at: &at, end: end))
      for _ in 0..<list.logs { channel.pressures.append(try #require(PressureLog(packet.span, at: &at, end: end))) }
      try #require(list.s == channel.pressures.allSatisfy { $0.s })
      channel.s.append(list.s)
    }
    try #require(at == end && !channel.s.isEmpty && channel.header.s == channel.s.allSatisfy { $0 })
    return channel
  }
}
