import MIDI

/// The chapters of a channel journal. The raw value is the place of its flag in ``ChannelJournalHeader/chapters``,
/// counted from the top.
enum ChannelChapter: UInt8, BitwiseCopyable {
  case p, c, m, w, n, e, t, a

  var flag: UInt8 { @_noLocks @_noAllocation get { 0x80 >> rawValue } }
}

/// The newest that a stream has said of one thing of one channel.
///
/// What the octets mean, by chapter:
///
///     P  program | bank high, with 80 if there is one | bank low, with 80 if a reset came between
///     C  value | count | toggles
///     M  -; the number is a place among the parameters, or ``selection``
///     W  low | high
///     N  velocity | Note Ons without Note Off | 1 for a Note On, 0 for a Note Off
///     T  pressure
///     A  pressure
struct HistoryEntry: BitwiseCopyable {
  /// The channel in the upper half, the chapter in the lower.
  let place: UInt8
  /// Of the controller, the note or the parameter; else 0.
  let number: UInt8
  /// The sequence number of the packet that said it.
  let packet: UInt16
  let first: UInt8
  let second: UInt8
  let third: UInt8

  @_noLocks @_noAllocation
  init(
    _ chapter: ChannelChapter, _ channel: Channel, _ number: UInt8 = 0, packet: UInt16, _ first: UInt8 = 0,
    _ second: UInt8 = 0, _ third: UInt8 = 0
  ) {
    place = Self.place(chapter, channel)
    (self.number, self.packet) = (number, packet)
    (self.first, self.second, self.third) = (first, second, third)
  }

  @_noLocks @_noAllocation
  static func place(_ chapter: ChannelChapter, _ channel: Channel) -> UInt8 { channel.wire << 4 | chapter.rawValue }

  /// The number, in Chapter M, of the choice of a parameter that no log tells: half a number, or none.
  static var selection: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  var isControlChange: Bool { @_noLocks @_noAllocation get { place & 0x0F == ChannelChapter.c.rawValue } }

  /// Chapter N: whether the newest command is a Note On.
  var isNoteOn: Bool { @_noLocks @_noAllocation get { third == 1 } }

  /// Chapter N: the Note Off's velocity is not the one that receivers assume.
  var hasReleaseVelocity: Bool { @_noLocks @_noAllocation get { isNoteOn ? false : first != 64 } }

  /// Chapter N: more Note Ons are without Note Off than the newest command tells.
  var hasReferences: Bool { @_noLocks @_noAllocation get { isNoteOn ? second > 1 : second > 0 } }

  /// The chapter's flag, and with notes that of Chapter E if it is needed.
  var flags: UInt8 {
    @_noLocks @_noAllocation get {
      let flag: UInt8 = 0x80 >> (place & 0x0F)
      guard flag == ChannelChapter.n.flag else { return flag }
      if hasReferences { return flag | ChannelChapter.e.flag }
      return hasReleaseVelocity ? flag | ChannelChapter.e.flag : flag
    }
  }

  /// Whether Reset All Controllers on `channel` makes it void (RP-015).
  @_noLocks @_noAllocation
  func isReset(on channel: Channel) -> Bool {
    guard place >> 4 == channel.wire else { return false }
    switch place & 0x0F {
    case ChannelChapter.w.rawValue, ChannelChapter.t.rawValue, ChannelChapter.a.rawValue: return true
    case ChannelChapter.c.rawValue: return number == 1 || number == 11 || number >= 64 && number <= 67
    case ChannelChapter.m.rawValue: return number == Self.selection
    default: return false
    }
  }
}
