import MIDI

// This type is in the file of its user: the real-time check rejects a derived `rawValue` of another file.

/// The chapters of a channel journal. The raw value is the position of the flag in ``ChannelJournalHeader/chapters``,
/// counted from the most significant bit.
enum ChannelChapter: UInt8, BitwiseCopyable {
  case p, c, m, w, n, e, t, a

  var flag: UInt8 { @_noLocks @_noAllocation get { 0x80 >> rawValue } }
}

/// The newest command of one kind and number on one channel, as part of the checkpoint history.
///
/// The contents of the octets, by chapter:
///
///     P  program | bank MSB, with 80 if there is a bank | bank LSB, with 80 if a reset was sent after the bank
///     C  value | count | toggles
///     M  -; `number` is an index of the parameters, or ``selection``
///     W  low | high
///     N  velocity | Note Ons without Note Off | 1 for a Note On, 0 for a Note Off
///     T  pressure
///     A  pressure
struct HistoryEntry: BitwiseCopyable {
  /// The kind of the entry: the channel in the upper four bits, the chapter in the lower four.
  let chapterID: UInt8
  /// The number of the controller or note, or the index of the parameter; otherwise 0.
  let number: UInt8
  /// The sequence number of the packet with the command.
  let packet: UInt16
  let first: UInt8
  let second: UInt8
  let third: UInt8

  @_noLocks @_noAllocation
  init(
    _ chapter: ChannelChapter, _ channel: Channel, _ number: UInt8 = 0, packet: UInt16, _ first: UInt8 = 0,
    _ second: UInt8 = 0, _ third: UInt8 = 0
  ) {
    chapterID = Self.chapterID(chapter, channel)
    (self.number, self.packet) = (number, packet)
    (self.first, self.second, self.third) = (first, second, third)
  }

  @_noLocks @_noAllocation
  static func chapterID(_ chapter: ChannelChapter, _ channel: Channel) -> UInt8 { channel.wire << 4 | chapter.rawValue }

  /// The number, in Chapter M, of a parameter selection without a log: half a number, or no parameter.
  static var selection: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  var isControlChange: Bool { @_noLocks @_noAllocation get { chapterID & 0x0F == ChannelChapter.c.rawValue } }

  /// Chapter N: whether the newest command is a Note On.
  var isNoteOn: Bool { @_noLocks @_noAllocation get { third == 1 } }

  /// Chapter N: whether the velocity of the Note Off differs from 64, which receivers assume.
  var hasReleaseVelocity: Bool { @_noLocks @_noAllocation get { isNoteOn ? false : first != 64 } }

  /// Chapter N: whether the reference count differs from the one that the newest command implies.
  var hasReferences: Bool { @_noLocks @_noAllocation get { isNoteOn ? second > 1 : second > 0 } }

  /// The flag of the chapter; for a note, also that of Chapter E if it is needed.
  var flags: UInt8 {
    @_noLocks @_noAllocation get {
      let flag: UInt8 = 0x80 >> (chapterID & 0x0F)
      guard flag == ChannelChapter.n.flag else { return flag }
      if hasReferences { return flag | ChannelChapter.e.flag }
      return hasReleaseVelocity ? flag | ChannelChapter.e.flag : flag
    }
  }

  /// Whether Reset All Controllers on `channel` makes the entry inactive (RP-015).
  @_noLocks @_noAllocation
  func isReset(on channel: Channel) -> Bool {
    guard chapterID >> 4 == channel.wire else { return false }
    switch chapterID & 0x0F {
    case ChannelChapter.w.rawValue, ChannelChapter.t.rawValue, ChannelChapter.a.rawValue: return true
    case ChannelChapter.c.rawValue: return number == 1 || number == 11 || number >= 64 && number <= 67
    case ChannelChapter.m.rawValue: return number == Self.selection
    default: return false
    }
  }
}
