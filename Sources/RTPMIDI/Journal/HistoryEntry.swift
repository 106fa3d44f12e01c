import MIDI

// `ChannelChapter` is declared in this file because real-time functions of `HistoryEntry` read its `rawValue`. In such
// functions, the compiler rejects the derived `rawValue` of an enumeration that is declared in another file.

/// The chapters of a channel journal. The raw value is the position of the flag in ``ChannelJournalHeader/chapters``,
/// counted from the most significant bit.
enum ChannelChapter: UInt8, BitwiseCopyable {
  case p, c, m, w, n, e, t, a

  var flag: UInt8 { @_noLocks @_noAllocation get { 0x80 >> rawValue } }
}

/// A command on one channel, as part of the checkpoint history.
///
/// The history holds the newest command of each kind and number. With the enhanced encoding of Chapter C, it holds the newest
/// four control changes of each controller. Chapter E has no entries: it is encoded from the entries of Chapter N. The contents of
/// ``first``, ``second`` and ``third`` depend on the chapter. Octets that are not listed are 0.
///
///     chapter   octet    content
///     P         first    the program
///               second   the bank MSB; bit 7 is 1 if a bank was selected before the program change
///               third    the bank LSB; bit 7 is 1 if Reset All Controllers was sent after the bank was selected
///     C         first    the value of the controller
///               second   the number of control changes of the controller, modulo 64
///               third    for pedals 64...69: the number of changes between off and on, modulo 64
///     M                  none; the value of the parameter is in `CheckpointHistory.parameters`
///     W         first    the low seven bits of the pitch wheel
///               second   the high seven bits of the pitch wheel
///     N         first    the velocity of the newest Note On or Note Off
///               second   the number of Note Ons without Note Off
///               third    1 if the newest command is a Note On, 0 if it is a Note Off
///     T         first    the channel pressure
///     A         first    the pressure of the key
struct HistoryEntry: BitwiseCopyable {
  /// The kind of the entry: the channel in the upper four bits, the chapter in the lower four.
  let chapterID: UInt8
  /// Chapter C: the controller. Chapters N and A: the key. Chapter M: the index in `CheckpointHistory.parameters`, or
  /// ``selection``. Otherwise 0.
  let number: UInt8
  /// The sequence number of the packet with the command.
  let packet: UInt16
  let first: UInt8
  let second: UInt8
  let third: UInt8

  @_noLocks @_noAllocation
  init(
    _ chapter: ChannelChapter, _ channel: Channel, number: UInt8 = 0, packet: UInt16, first: UInt8 = 0,
    second: UInt8 = 0, third: UInt8 = 0
  ) {
    chapterID = Self.chapterID(chapter, channel)
    (self.number, self.packet) = (number, packet)
    (self.first, self.second, self.third) = (first, second, third)
  }

  @_noLocks @_noAllocation
  static func chapterID(_ chapter: ChannelChapter, _ channel: Channel) -> UInt8 { channel.wire << 4 | chapter.rawValue }

  /// The value of ``number`` in an entry of Chapter M without a parameter log. Such an entry records only a selection: the
  /// newest selection command is an MSB (controller 99 or 101), whose LSB may follow, or no parameter is selected (MSB and
  /// LSB 127).
  static var selection: UInt8 { @_noLocks @_noAllocation get { 0xFF } }

  var isControlChange: Bool { @_noLocks @_noAllocation get { chapterID & 0x0F == ChannelChapter.c.rawValue } }

  /// Chapter N: whether the newest command is a Note On.
  var isNoteOn: Bool { @_noLocks @_noAllocation get { third == 1 } }

  /// Chapter N: whether the newest command is a Note Off with a velocity other than 64, the velocity that receivers
  /// assume.
  var hasReleaseVelocity: Bool { @_noLocks @_noAllocation get { isNoteOn ? false : first != 64 } }

  /// Chapter N: whether Chapter E must contain the reference count, because it differs from the count that receivers
  /// assume: 1 after a Note On, 0 after a Note Off.
  var hasReferences: Bool { @_noLocks @_noAllocation get { isNoteOn ? second > 1 : second > 0 } }

  /// The flag of the chapter. For an entry of Chapter N that needs a log in Chapter E, the flags of both chapters.
  var flags: UInt8 {
    @_noLocks @_noAllocation get {
      let flag: UInt8 = 0x80 >> (chapterID & 0x0F)
      guard flag == ChannelChapter.n.flag else { return flag }
      if hasReferences { return flag | ChannelChapter.e.flag }
      return hasReleaseVelocity ? flag | ChannelChapter.e.flag : flag
    }
  }

  /// Whether Reset All Controllers on `channel` makes the entry inactive (MIDI recommended practice RP-015).
  @_noLocks @_noAllocation
  func isReset(on channel: Channel) -> Bool {
    guard chapterID >> 4 == channel.wire else { return false }
    switch chapterID & 0x0F {
    case ChannelChapter.w.rawValue, ChannelChapter.t.rawValue, ChannelChapter.a.rawValue: return true
    // Modulation, expression and pedals 64...67.
    case ChannelChapter.c.rawValue: return number == 1 || number == 11 || number >= 64 && number <= 67
    case ChannelChapter.m.rawValue: return number == Self.selection
    default: return false
    }
  }
}
