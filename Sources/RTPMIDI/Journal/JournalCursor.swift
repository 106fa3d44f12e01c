import MIDI

/// One part of a recovery journal, as ``JournalCursor`` returns it: one log of a chapter that is a list of logs, or a
/// whole chapter that has no list. A log describes the newest command or commands of one kind, for example of one note.
enum JournalLog: BitwiseCopyable {
  // The system journal, chapters D V Q F X.
  case simpleCommands(ChapterD)
  case activeSensing(count: UInt7)
  case sequencer(ChapterQ)
  case timeCode(ChapterF)
  case systemExclusive(ExclusiveLog)
  // A channel journal, chapters P C M W N E T A.
  case program(Channel, ChapterP)
  /// A log of Chapter C. `later` contains the logs after it in the chapter.
  case controller(Channel, NumberedLog, later: Extent)
  case parameter(Channel, ParameterLog)
  /// The header and the last log of Chapter M, returned after all logs of the chapter. They determine the parameter that
  /// is selected at the sender. `last` is nil if the chapter has no logs.
  case selection(Channel, ChapterM, last: ParameterLog?)
  case wheel(Channel, UInt14)
  /// A note whose newest command is a Note On. `extras` contains all logs of Chapter E of the channel.
  case note(Channel, NumberedLog, extras: Extent)
  /// A note whose newest command is a Note Off. `extras` contains all logs of Chapter E of the channel.
  case noteOff(Channel, key: UInt7, extras: Extent)
  case channelPressure(Channel, UInt7)
  case polyphonicPressure(Channel, NumberedLog)
}

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
  /// The offset directly after the list of Chapter C, M, N or A.
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
    header = try RecoveryJournalHeader(packet, at: &position, end: end)
    channelJournalsLeft = header.channelJournals
    containerEnd = position
    if header.hasSystemJournal {
      let system = try SystemJournalHeader(packet, at: &position, end: end)
      (containerEnd, chapters) = (system.end, UInt16(system.chapters) << 6)
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
      let journal = try ChannelJournalHeader(packet, at: &position, end: end)
      (containerEnd, channel, chapters) = (journal.end, journal.channel, UInt16(journal.chapters))
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
      let log = try ChapterD(packet, at: &position, end: containerEnd)
      return deliver(.simpleCommands(log), sBit: log.s)
    case 0x0800:  // V
      let log = try FlaggedValue(packet, at: &position, end: containerEnd)
      return deliver(.activeSensing(count: log.value), sBit: log.flag)
    case 0x0400:  // Q
      let log = try ChapterQ(packet, at: &position, end: containerEnd)
      return deliver(.sequencer(log), sBit: log.s)
    case 0x0200:  // F
      let log = try ChapterF(packet, at: &position, end: containerEnd)
      return deliver(.timeCode(log), sBit: log.s)
    case 0x0100: list = .exclusives  // X
    case 0x80:  // P
      let log = try ChapterP(packet, at: &position, end: containerEnd)
      return deliver(.program(channel, log), sBit: log.s)
    case 0x40: try beginList(.controllers, in: packet)  // C
    case 0x20:  // M
      let chapter = try ChapterM(packet, at: &position, end: containerEnd)
      (list, listEnd, parameters, lastParameter) = (.parameters, chapter.end, chapter, nil)
    case 0x10:  // W: S FIRST[7] | R SECOND[7]. FIRST is the low half, SECOND the high half. R is reserved.
      let low = try FlaggedValue(packet, at: &position, end: containerEnd)
      let high = try FlaggedValue(packet, at: &position, end: containerEnd)
      return deliver(.wheel(channel, UInt14(low: low.value, high: high.value)), sBit: low.flag)
    case 0x08: try beginNotes(in: packet)  // N
    case 0x04:  // E. If there is a Chapter N, `beginNotes(in:)` has already located these logs.
      position = try LogList(packet, at: &position, end: containerEnd).logs.end
    case 0x02:  // T
      let log = try FlaggedValue(packet, at: &position, end: containerEnd)
      return deliver(.channelPressure(channel, log.value), sBit: log.flag)
    default: try beginList(.pressures, in: packet)  // A
    }
    return nil
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
    (self.list, listEnd) = (list, try LogList(packet, at: &position, end: containerEnd).logs.end)
  }

  /// Begins the lists of Chapter N, and locates the logs of Chapter E, which directly follows Chapter N.
  @_noLocks @_noAllocation
  private mutating func beginNotes(in packet: borrowing Span<UInt8>) throws(PacketError) {
    let chapter = try ChapterN(packet, at: &position, end: containerEnd)
    (list, listEnd, notes, key) = (.notes, position + 2 * chapter.logs, chapter, 8 * chapter.low)
    var next = listEnd + chapter.bitFieldOctets
    extras = Extent(start: next, end: next)
    // The flag of Chapter E.
    if chapters & 0x04 != 0 {
      extras = try LogList(packet, at: &next, end: containerEnd).logs
    }
  }

  /// Returns the next log of the current list; nil at the end of the list, or if there is none.
  @_noLocks @_noAllocation
  private mutating func nextOfList(in packet: borrowing Span<UInt8>) throws(PacketError) -> JournalLog? {
    switch list {
    case .none: return nil
    case .exclusives:
      if position < containerEnd {
        let log = try ExclusiveLog(packet, at: &position, end: containerEnd)
        return deliver(.systemExclusive(log), sBit: log.s)
      }
    case .controllers:
      if position < listEnd {
        let log = try NumberedLog(packet, at: &position, end: listEnd)
        return deliver(.controller(channel, log, later: Extent(start: position, end: listEnd)), sBit: log.s)
      }
    case .parameters:
      guard let chapter = parameters else { break }
      if position < listEnd {
        let log = try ParameterLog(packet, at: &position, in: chapter)
        lastParameter = log
        return deliver(.parameter(channel, log), sBit: log.s)
      }
      list = .none
      return deliver(.selection(channel, chapter, last: lastParameter), sBit: chapter.s)
    case .notes:
      if position < listEnd {
        let log = try NumberedLog(packet, at: &position, end: listEnd)
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
      if position < listEnd {
        let log = try NumberedLog(packet, at: &position, end: listEnd)
        return deliver(.polyphonicPressure(channel, log), sBit: log.s)
      }
    }
    list = .none
    return nil
  }
}
