import BasicContainers
import MIDI

/// The header of a recovery journal (RFC 6295 section 5, figure 8): three octets. [n] stands for n bits.
///
///     S Y A H TOTCHAN[4] | checkpoint packet's sequence number[16]
///
/// The system journal follows if Y is set, then TOTCHAN + 1 channel journals in ascending order of channels if A is
/// set. With neither, the journal is empty: the packets from the checkpoint to the previous packet contain no commands.
struct RecoveryJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S ("single-packet loss"): false if the journal contains a command of the packet directly before the packet with
  /// the journal. If it is true, the journal contains nothing new for a receiver that lacks only that previous packet.
  /// Each system or channel journal, each chapter, and each log has an S bit of its own with the same meaning for its
  /// content.
  var s: Bool
  /// Y: the system journal is present.
  var hasSystemJournal: Bool
  /// A and TOTCHAN: the number of channel journals, 0...16.
  var channelJournals: Int
  /// H: Chapter C uses the enhanced encoding.
  var isEnhanced: Bool
  /// The sequence number of the checkpoint packet, the first packet that the journal covers. In an empty journal, it
  /// can be the number of the packet with the journal.
  var checkpoint: UInt16

  @_noLocks @_noAllocation
  init(s: Bool, hasSystemJournal: Bool, channelJournals: Int, isEnhanced: Bool, checkpoint: UInt16) {
    (self.s, self.hasSystemJournal, self.channelJournals) = (s, hasSystemJournal, channelJournals)
    (self.isEnhanced, self.checkpoint) = (isEnhanced, checkpoint)
  }

  /// Reads the header at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let flags = try packet.readOctet(at: &position, end: end)
    s = flags.has(0x80)
    hasSystemJournal = flags.has(0x40)
    channelJournals = flags.has(0x20) ? Int(flags & 0x0F) + 1 : 0
    isEnhanced = flags.has(0x10)
    checkpoint = try packet.readUInt16(at: &position, end: end)
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    try packet.write(
      .bit(0x80, if: s) | .bit(0x40, if: hasSystemJournal) | .bit(0x10, if: isEnhanced)
        | (channelJournals > 0 ? 0x20 | UInt8(truncatingIfNeeded: channelJournals - 1) & 0x0F : 0))
    try packet.write(checkpoint)
  }
}

/// The header of the system journal, the part of the recovery journal for system commands (RFC 6295 section 5, figure
/// 10): two octets. [n] stands for n bits.
///
///     S D V Q F X LENGTH[10]
///
/// D, V, Q, F and X are the flags of chapters. The chapters with set flags follow in this order. LENGTH is the size of
/// the whole system journal in octets, including this header: 2...1023.
struct SystemJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// The flags of the chapters that follow, at their places in the first octet. In hexadecimal, D (Reset, Tune Request,
  /// Song Select and undefined commands) is 40, V (Active Sensing) is 20, Q (the sequencer state) is 10, F (MIDI Time
  /// Code) is 08 and X (System Exclusive) is 04.
  var chapters: UInt8
  /// The offset directly after the system journal.
  let end: Int

  /// Reads the header at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let start = position
    let word = try packet.readUInt16(at: &position, end: end)
    let flags = UInt8(truncatingIfNeeded: word >> 8)
    (s, chapters) = (flags.has(0x80), flags & 0x7C)
    self.end = start + Int(word & 0x03FF)
    guard self.end >= position, self.end <= end else { throw .malformedJournal }
  }

  /// Appends a header whose LENGTH is still 0.
  @_noLocks @_noAllocation
  static func append(s: Bool, chapters: UInt8, to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    let flags: UInt8 = .bit(0x80, if: s) | chapters
    try packet.write(UInt16(flags) << 8)
  }
}

/// The header of a channel journal, the part of the recovery journal for one channel (RFC 6295 section 5, figure 9):
/// three octets. [n] stands for n bits.
///
///     S CHAN[4] H LENGTH[10] | P C M W N E T A
///
/// Each of the last eight bits is the flag of a chapter. The chapters with set flags follow in this order. LENGTH is the
/// size of the whole channel journal in octets, including this header: 3...1023.
struct ChannelJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  var channel: Channel
  /// H: Chapter C of the channel may hold several logs for one controller.
  var isEnhanced: Bool
  /// The third octet: the flags of the chapters that follow. In hexadecimal, P is 80, C is 40, M is 20, W is 10, N is
  /// 08, E is 04, T is 02 and A is 01.
  var chapters: UInt8
  /// The offset directly after the channel journal.
  let end: Int

  /// Reads the header at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let start = position
    let word = try packet.readUInt16(at: &position, end: end)
    let first = UInt8(truncatingIfNeeded: word >> 8)
    (s, channel, isEnhanced) = (first.has(0x80), Channel(wire: first >> 3), first.has(0x04))
    chapters = try packet.readOctet(at: &position, end: end)
    self.end = start + Int(word & 0x03FF)
    guard self.end >= position, self.end <= end else { throw .malformedJournal }
  }

  /// Appends a header whose LENGTH is still 0.
  @_noLocks @_noAllocation
  static func append(
    s: Bool, channel: Channel, isEnhanced: Bool, chapters: UInt8, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    let first: UInt8 = .bit(0x80, if: s) | channel.wire << 3 | .bit(0x04, if: isEnhanced)
    try packet.write(UInt16(first) << 8)
    try packet.write(chapters)
  }
}
