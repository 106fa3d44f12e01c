import MIDI

/// Decodes a recovery journal (RFC 6295 section 5) log by log.
///
/// The cursor stores offsets, not octets: pass the same packet to each call. The recovery journal contains the system
/// journal and the channel journals; these contain chapters. Each of these containers must lie within the container
/// around it, and its content must end exactly where its length field says. Otherwise the rest of the recovery journal
/// is malformed. A receiver that calls ``check(in:)`` first never applies part of a malformed journal.
///
/// The cursor does not return the logs of Chapter E one by one. It returns their extent together with each note of
/// Chapter N.
struct JournalCursor: BitwiseCopyable {
  /// The kind of log list that is being read. The note logs and the Note Off bits of Chapter N are two lists.
  private enum List: BitwiseCopyable {
    case none, exclusives, controllers, parameters, notes, noteOffs, pressures
  }

  let header: RecoveryJournalHeader
  /// The S bit of the latest log. If it is set, the log contains nothing new for a receiver that lacks only the
  /// previous packet.
  private(set) var sBit = false

  /// The offset in the packet of the next octet to read.
  private var position: Int
  /// The offset directly after the recovery journal.
  private let end: Int
  /// The number of channel journals that have not begun yet.
  private var channelJournalsLeft: Int
  /// The offset directly after the current system or channel journal.
  private var containerEnd: Int
  /// The flags of the chapters of the current system or channel journal that have not begun yet. The system chapters D
  /// V Q F X have the bits 12 to 8, the channel chapters P C M W N E T A the bits 7 to 0. The highest bit is read
  /// first.
  private var chapters: UInt16 = 0
  /// The channel of the current channel journal.
  private var channel = Channel(wire: 0)

  private var list = List.none
  /// The number of remaining logs in a list of Chapter C, N or A.
  private var logsLeft = 0
  /// The offset directly after the list of Chapter C, M or A.
  private var listEnd = 0
  /// The header of the current Chapter M.
  private var parameters: ChapterM?
  /// The latest log of the current Chapter M.
  private var lastParameter: ParameterLog?
  /// The header of the current Chapter N.
  private var notes: ChapterN?
  /// The logs of Chapter E of the channel; empty if the channel journal has no Chapter E.
  private var extras = Extent(start: 0, end: 0)
  /// The next note, 0...127, whose Note Off bit in Chapter N is to be examined.
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
    channelJournalsLeft = header.channelJournals
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
      if let log = try nextOfList(in: packet) { return log }
      if chapters != 0 {
        // The highest set flag.
        let flag = UInt16(0x8000) >> UInt16(truncatingIfNeeded: chapters.leadingZeroBitCount)
        chapters &= ~flag
        if let log = try beginChapter(flag, in: packet) { return log }
        continue
      }
      guard position == containerEnd else { throw .malformedJournal }
      guard channelJournalsLeft > 0 else {
        guard position == end else { throw .malformedJournal }
        return nil
      }
      channelJournalsLeft -= 1
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

  /// Begins the chapter with the flag `flag` of ``chapters``.
  ///
  /// - Returns: the content of a chapter that has no list; nil if the chapter has a list, whose logs follow, or if it
  ///   is Chapter E, which is skipped.
  @_noLocks @_noAllocation
  private mutating func beginChapter(
    _ flag: UInt16, in packet: borrowing Span<UInt8>
  ) throws(PacketError) -> JournalLog? {
    switch flag {
    case 0x1000:  // D
      if let log = ChapterD(packet, at: &position, end: containerEnd) {
        return deliver(.simpleCommands(log), sBit: log.s)
      }
    case 0x0800:  // V
      if let log = ChapterV(packet, at: &position, end: containerEnd) {
        return deliver(.activeSensing(log), sBit: log.s)
      }
    case 0x0400:  // Q
      if let log = ChapterQ(packet, at: &position, end: containerEnd) { return deliver(.sequencer(log), sBit: log.s) }
    case 0x0200:  // F
      if let log = ChapterF(packet, at: &position, end: containerEnd) { return deliver(.timeCode(log), sBit: log.s) }
    case 0x0100:  // X
      list = .exclusives
      return nil
    case 0x80:  // P
      if let log = ChapterP(packet, at: &position, end: containerEnd) {
        return deliver(.program(channel, log), sBit: log.s)
      }
    case 0x40:  // C
      try beginList(.controllers, in: packet)
      return nil
    case 0x20:  // M
      let start = position
      if let chapter = ChapterM(packet, at: &position, end: containerEnd) {
        (list, listEnd, parameters, lastParameter) = (.parameters, start + chapter.length, chapter, nil)
        return nil
      }
    case 0x10:  // W
      if let log = ChapterW(packet, at: &position, end: containerEnd) {
        return deliver(.wheel(channel, log), sBit: log.s)
      }
    case 0x08:  // N
      try beginNotes(in: packet)
      return nil
    case 0x04:  // E. If there is a Chapter N, `beginNotes(in:)` has already located these logs.
      if let header = LogListHeader(packet, at: &position, end: containerEnd) {
        position += 2 * header.logs
        return nil
      }
    case 0x02:  // T
      if let log = ChapterT(packet, at: &position, end: containerEnd) {
        return deliver(.channelPressure(channel, log), sBit: log.s)
      }
    default:  // A
      try beginList(.pressures, in: packet)
      return nil
    }
    // The chapter extends beyond its container, or its length is too small.
    throw .malformedJournal
  }

  /// Returns `log`, and stores its S bit in ``sBit``.
  @_noLocks @_noAllocation
  private mutating func deliver(_ log: JournalLog, sBit: Bool) -> JournalLog {
    self.sBit = sBit
    return log
  }

  /// Begins the list of Chapter C or A.
  @_noLocks @_noAllocation
  private mutating func beginList(_ list: List, in packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let header = LogListHeader(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (self.list, logsLeft) = (list, header.logs)
    listEnd = position + 2 * header.logs
  }

  /// Begins the lists of Chapter N, and locates the logs of Chapter E, which directly follows Chapter N.
  @_noLocks @_noAllocation
  private mutating func beginNotes(in packet: borrowing Span<UInt8>) throws(PacketError) {
    guard let chapter = ChapterN(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
    (list, logsLeft, notes, key) = (.notes, chapter.logs, chapter, 8 * chapter.low)
    var next = position + 2 * chapter.logs + chapter.bitFieldOctets
    extras = Extent(start: next, end: next)
    // The flag of Chapter E.
    if chapters & 0x04 != 0 {
      guard let header = LogListHeader(packet, at: &next, end: containerEnd) else { throw .malformedJournal }
      extras = Extent(start: next, end: next + 2 * header.logs)
    }
  }

  /// Returns the next log of the current list; nil at the end of the list, or if there is none.
  @_noLocks @_noAllocation
  private mutating func nextOfList(in packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch list {
    case .none: return nil
    case .exclusives:
      if position < containerEnd {
        guard let log = ExclusiveLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return deliver(.systemExclusive(log), sBit: log.s)
      }
    case .controllers:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = ControllerLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return deliver(.controller(channel, log, later: Extent(start: position, end: listEnd)), sBit: log.s)
      }
    case .parameters:
      guard let chapter = parameters else { break }
      if position < listEnd {
        guard let log = ParameterLog(packet, at: &position, end: listEnd, in: chapter) else { throw .malformedJournal }
        lastParameter = log
        return deliver(.parameter(channel, log), sBit: log.s)
      }
      list = .none
      return deliver(.selection(channel, chapter, last: lastParameter), sBit: chapter.s)
    case .notes:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = NoteLog(packet, at: &position, end: containerEnd) else { throw .malformedJournal }
        return deliver(.note(channel, log, extras: extras), sBit: log.s)
      }
      list = .noteOffs
      return try nextOfList(in: packet)
    case .noteOffs:
      guard let chapter = notes else { break }
      // `position` is at the octet LOW of the bit field. Octet n contains the bits of the notes 8 * n to 8 * n + 7.
      while key < 8 * (chapter.low + chapter.bitFieldOctets) {
        let bits = packet[position + key / 8 - chapter.low]
        let isOff = bits & (0x80 >> UInt8(truncatingIfNeeded: key % 8)) != 0
        key += 1
        if isOff {
          return deliver(
            .noteOff(channel, key: UInt7(masking: UInt8(truncatingIfNeeded: key - 1)), extras: extras), sBit: chapter.s)
        }
      }
      position += chapter.bitFieldOctets
    case .pressures:
      if logsLeft > 0 {
        logsLeft -= 1
        guard let log = PressureLog(packet, at: &position, end: listEnd) else { throw .malformedJournal }
        return deliver(.polyphonicPressure(channel, log), sBit: log.s)
      }
    }
    list = .none
    return nil
  }
}
