import MIDI

/// Decodes a recovery journal (RFC 6295 section 5) log by log.
///
/// The cursor stores offsets, not octets: pass the same packet to each call. Each container (journal or chapter) must
/// lie within the container around it and must be used up to its last octet. Otherwise the journal is malformed from
/// there on. A receiver that calls ``check(in:)`` first never applies part of a malformed journal. Chapter E has no
/// logs of its own: its logs are passed with the notes of Chapter N.
struct JournalCursor: BitwiseCopyable {
  /// The log list that is being read.
  private enum List: BitwiseCopyable {
    case none, exclusives, controllers, parameters, notes, noteOffs, pressures
  }

  let header: RecoveryJournalHeader
  /// The S bit of the latest log. If it is set, the log contains nothing new for a receiver that lacks only the
  /// previous packet.
  private(set) var sBit = false

  private var position: Int
  private let end: Int
  private var channelJournals: Int
  private var containerEnd: Int
  /// The remaining chapters of the container, in descending order: D V Q F X from bit 12 on, P C M W N E T A from bit 7
  /// on.
  private var chapters: UInt16 = 0
  private var channel = Channel(wire: 0)

  private var list = List.none
  private var logsLeft = 0
  private var listEnd = 0
  private var parameters: ChapterM?
  private var lastParameter: ParameterLog?
  private var notes: ChapterN?
  private var extras = Extent(start: 0, end: 0)
  /// The next bit of the 128-bit field of Chapter N to examine.
  private var key = 0

  /// Creates a cursor before the first log of the journal in `extent`.
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

  /// Returns the next log; nil at the end of the journal.
  ///
  /// - Throws: ``PacketError/malformedJournal``; the rest of the journal cannot be read.
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

  /// Decodes the rest of the journal without returning the logs.
  ///
  /// - Throws: ``PacketError/malformedJournal``.
  @_noLocks @_noAllocation
  func check(in packet: borrowing Span<UInt8>) throws(PacketError) {
    var cursor = self
    while case .some = try cursor.next(in: packet) {}
  }

  /// Reads a chapter with a single log, or the header of a chapter with a list.
  @_noLocks @_noAllocation
  private mutating func open(_ chapter: UInt16, _ packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch chapter {
    case 0x1000:
      if let log = ChapterD(packet, at: &position, end: containerEnd) { return deliver(.simpleCommands(log), log.s) }
    case 0x0800:
      if let log = ChapterV(packet, at: &position, end: containerEnd) { return deliver(.activeSensing(log), log.s) }
    case 0x0400:
      if let log = ChapterQ(packet, at: &position, end: containerEnd) { return deliver(.sequencer(log), log.s) }
    case 0x0200:
      if let log = ChapterF(packet, at: &position, end: containerEnd) { return deliver(.timeCode(log), log.s) }
    case 0x0100:
      list = .exclusives
      return nil
    case 0x80:
      if let log = ChapterP(packet, at: &position, end: containerEnd) { return deliver(.program(channel, log), log.s) }
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
      if let log = ChapterW(packet, at: &position, end: containerEnd) { return deliver(.wheel(channel, log), log.s) }
    case 0x08:
      try beginNotes(packet)
      return nil
    case 0x04:
      // Chapter N has already read these logs, if it is present.
      if let header = LogListHeader(packet, at: &position, end: containerEnd) {
        position += 2 * header.logs
        return nil
      }
    case 0x02:
      if let log = ChapterT(packet, at: &position, end: containerEnd) {
        return deliver(.channelPressure(channel, log), log.s)
      }
    default:
      try begin(.pressures, packet)
      return nil
    }
    throw .malformedJournal
  }

  @_noLocks @_noAllocation
  private mutating func deliver(_ log: JournalLog, _ sBit: Bool) -> JournalLog {
    self.sBit = sBit
    return log
  }

  /// Opens the list of Chapter C or A.
  @_noLocks @_noAllocation
  private mutating func begin(_ list: List, _ packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let header = LogListHeader(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (self.list, logsLeft) = (list, header.logs)
    listEnd = position + 2 * header.logs
  }

  /// Opens the list of Chapter N, and locates the logs of Chapter E after it.
  @_noLocks @_noAllocation
  private mutating func beginNotes(_ packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let chapter = ChapterN(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (list, logsLeft, notes, key) = (.notes, chapter.logs, chapter, 8 * chapter.low)
    var next = position + 2 * chapter.logs + chapter.bitFieldOctets
    extras = Extent(start: next, end: next)
    if chapters & 0x04 != 0 {
      guard let header = LogListHeader(packet, at: &next, end: containerEnd) else { throw .malformedJournal }
      extras = Extent(start: next, end: next + 2 * header.logs)
    }
  }

  /// The next log of the open list; nil at its end, or if no list is open.
  @_noLocks @_noAllocation
  private mutating func nextOfList(_ packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch list {
    case .none: return nil
    case .exclusives:
      if position < containerEnd {
        guard let log = ExclusiveLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return deliver(.systemExclusive(log), log.s)
      }
    case .controllers:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = ControllerLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return deliver(.controller(channel, log, later: Extent(start: position, end: listEnd)), log.s)
      }
    case .parameters:
      guard let chapter = parameters else { break }
      if position < listEnd {
        guard let log = ParameterLog(packet, at: &position, end: listEnd, in: chapter) else { throw .malformedJournal }
        lastParameter = log
        return deliver(.parameter(channel, log), log.s)
      }
      list = .none
      return deliver(.selection(channel, chapter, last: lastParameter), chapter.s)
    case .notes:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = NoteLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return deliver(.note(channel, log, extras: extras), log.s)
      }
      list = .noteOffs
      return try nextOfList(packet)
    case .noteOffs:
      guard let chapter = notes else { break }
      while key < 8 * (chapter.low + chapter.bitFieldOctets) {
        let bits = packet[position + key / 8 - chapter.low]
        let isOff = bits & (0x80 >> UInt8(truncatingIfNeeded: key % 8)) != 0
        key += 1
        if isOff {
          return deliver(
            .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key - 1)), extras: extras), chapter.s)
        }
      }
      position += chapter.bitFieldOctets
    case .pressures:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = PressureLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return deliver(.polyphonicPressure(channel, log), log.s)
      }
    }
    list = .none
    return nil
  }
}
