import MIDI

/// Reads a recovery journal (RFC 6295 section 5), a log at a time.
///
/// It holds places, not octets: give it the same packet each time. Each container, journal or chapter, must lie within
/// the one around it and be used up to its last octet; where it is not, the journal is malformed from there on. Who
/// walks it to its end before using any of it never uses half of a malformed one. Chapter E is not given by itself: it
/// says more of Chapter N's notes, which are given with it.
struct JournalCursor: BitwiseCopyable {
  /// The logs of a chapter that has several.
  private enum List: BitwiseCopyable {
    case none, exclusives, controllers, parameters, notes, noteOffs, pressures
  }

  let header: RecoveryJournalHeader
  /// S of the log given last: a receiver that lacks nothing but the packet before this one has had all it tells.
  private(set) var isOld = false

  private var position: Int
  private let end: Int
  private var channelJournals: Int
  private var containerEnd: Int
  /// The container's chapters to come, in falling order: D V Q F X from bit 12 on, P C M W N E T A from bit 7 on.
  private var chapters: UInt16 = 0
  private var channel = Channel(wire: 0)

  private var list = List.none
  private var logsLeft = 0
  private var listEnd = 0
  private var parameters: ChapterM?
  private var lastParameter: ParameterLog?
  private var notes: ChapterN?
  private var extras = Extent(start: 0, end: 0)
  /// The next of Chapter N's 128 bits to look at.
  private var key = 0

  /// A cursor before the first log of the journal in `extent`.
  ///
  /// - Throws: ``PacketError/malformedJournal``.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, in extent: Extent) throws(PacketError) {
    position = extent.start
    end = extent.end
    guard let header = RecoveryJournalHeader(packet, at: &position, end: end) else { throw .malformedJournal }
    self.header = header
    channelJournals = header.channelJournals
    containerEnd = position
    if header.hasSystemJournal {
      let start = position
      guard let system = SystemJournalHeader(packet, at: &position, end: end) else { throw .malformedJournal }
      containerEnd = start + system.length
      chapters =
        (system.hasD ? 0x1000 : 0) | (system.hasV ? 0x0800 : 0) | (system.hasQ ? 0x0400 : 0)
        | (system.hasF ? 0x0200 : 0) | (system.hasX ? 0x0100 : 0)
    }
  }

  /// The next log, or nil at the end of the journal.
  ///
  /// - Throws: ``PacketError/malformedJournal``; the journal cannot be read any further.
  @_noLocks @_noAllocation
  mutating func next(in packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    while true {
      if let log = try nextOfList(packet) { return log }
      if chapters != 0 {
        let chapter = UInt16(0x8000) >> UInt16(truncatingIfNeeded: chapters.leadingZeroBitCount)
        chapters &= ~chapter
        if let log = try open(chapter, packet) { return log }
        continue
      }
      guard position == containerEnd else { throw .malformedJournal }
      guard channelJournals > 0 else {
        guard position == end else { throw .malformedJournal }
        return nil
      }
      channelJournals -= 1
      let start = position
      guard let journal = ChannelJournalHeader(packet, at: &position, end: end) else { throw .malformedJournal }
      containerEnd = start + journal.length
      (channel, chapters) = (journal.channel, UInt16(journal.chapters))
    }
  }

  /// Reads the whole journal from here and keeps nothing.
  ///
  /// - Throws: ``PacketError/malformedJournal``.
  @_noLocks @_noAllocation
  func check(in packet: borrowing Span<UInt8>) throws(PacketError) {
    var cursor = self
    while case .some = try cursor.next(in: packet) {}
  }

  /// Reads a chapter of one log, or the header of one with more.
  @_noLocks @_noAllocation
  private mutating func open(_ chapter: UInt16, _ packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch chapter {
    case 0x1000:
      if let log = ChapterD(packet, at: &position, end: containerEnd) { return give(.simpleCommands(log), log.s) }
    case 0x0800:
      if let log = ChapterV(packet, at: &position, end: containerEnd) { return give(.activeSensing(log), log.s) }
    case 0x0400:
      if let log = ChapterQ(packet, at: &position, end: containerEnd) { return give(.sequencer(log), log.s) }
    case 0x0200:
      if let log = ChapterF(packet, at: &position, end: containerEnd) { return give(.timeCode(log), log.s) }
    case 0x0100:
      list = .exclusives
      return nil
    case 0x80:
      if let log = ChapterP(packet, at: &position, end: containerEnd) { return give(.program(channel, log), log.s) }
    case 0x40:
      try begin(.controllers, packet)
      return nil
    case 0x20:
      let start = position
      if let chapter = ChapterM(packet, at: &position, end: containerEnd) {
        (list, listEnd, parameters, lastParameter) = (.parameters, start + chapter.length, chapter, nil)
        return nil
      }
    case 0x10:
      if let log = ChapterW(packet, at: &position, end: containerEnd) { return give(.wheel(channel, log), log.s) }
    case 0x08:
      try beginNotes(packet)
      return nil
    case 0x04:
      // Measured with Chapter N, if there is one.
      if let header = LogCount(packet, at: &position, end: containerEnd) {
        position += 2 * header.logs
        return nil
      }
    case 0x02:
      if let log = ChapterT(packet, at: &position, end: containerEnd) {
        return give(.channelPressure(channel, log), log.s)
      }
    default:
      try begin(.pressures, packet)
      return nil
    }
    throw .malformedJournal
  }

  @_noLocks @_noAllocation
  private mutating func give(_ log: JournalLog, _ isOld: Bool) -> JournalLog {
    self.isOld = isOld
    return log
  }

  /// Chapters C and A.
  @_noLocks @_noAllocation
  private mutating func begin(_ list: List, _ packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let header = LogCount(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (self.list, logsLeft) = (list, header.logs)
    listEnd = position + 2 * header.logs
  }

  /// Chapter N, and Chapter E behind it.
  @_noLocks @_noAllocation
  private mutating func beginNotes(_ packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let chapter = ChapterN(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (list, logsLeft, notes, key) = (.notes, chapter.logs, chapter, 8 * chapter.low)
    var next = position + 2 * chapter.logs + chapter.offOctets
    extras = Extent(start: next, end: next)
    if chapters & 0x04 != 0 {
      guard let header = LogCount(packet, at: &next, end: containerEnd) else { throw .malformedJournal }
      extras = Extent(start: next, end: next + 2 * header.logs)
    }
  }

  /// The next log of the open list; nil when it has no more, or none is open.
  @_noLocks @_noAllocation
  private mutating func nextOfList(_ packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch list {
    case .none: return nil
    case .exclusives:
      if position < containerEnd {
        guard let log = ExclusiveLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return give(.systemExclusive(log), log.s)
      }
    case .controllers:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = ControllerLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return give(.controller(channel, log, later: Extent(start: position, end: listEnd)), log.s)
      }
    case .parameters:
      guard let chapter = parameters else { break }
      if position < listEnd {
        guard let log = ParameterLog(packet, at: &position, end: listEnd, in: chapter) else { throw .malformedJournal }
        lastParameter = log
        return give(.parameter(channel, log), log.s)
      }
      list = .none
      return give(.selection(channel, chapter, last: lastParameter), chapter.s)
    case .notes:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = NoteLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return give(.note(channel, log, extras: extras), log.s)
      }
      list = .noteOffs
      return try nextOfList(packet)
    case .noteOffs:
      guard let chapter = notes else { break }
      while key < 8 * (chapter.low + chapter.offOctets) {
        let bits = packet[position + key / 8 - chapter.low]
        let isOff = bits & (0x80 >> UInt8(truncatingIfNeeded: key % 8)) != 0
        key += 1
        if isOff {
          return give(
            .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key - 1)), extras: extras), chapter.s)
        }
      }
      position += chapter.offOctets
    case .pressures:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = PressureLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return give(.polyphonicPressure(channel, log), log.s)
      }
    }
    list = .none
    return nil
  }
}
