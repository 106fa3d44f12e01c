import BasicContainers
import MIDI

/// Chapter D of the recovery journal, simple system commands (RFC 6295, appendix B.1): a header of one octet, and a log
/// for each set flag. [n] stands for n bits.
///
///     S B G H J K Y Z
///
///     flag   log                                               command
///     B      S COUNT[7]                                        Reset; its number of occurrences, modulo 128
///     G      S COUNT[7]                                        Tune Request; its number of occurrences, modulo 128
///     H      S VALUE[7]                                        Song Select; the selected song
///     J, K   S C V L DSZ[2] LENGTH[10] | COUNT VALUE LEGAL     the undefined commands F4 and F5
///     Y, Z   S C L LENGTH[5] | COUNT LEGAL                     the undefined commands F9 and FD
///
/// `Message` has no case for the undefined commands. Received logs J, K, Y and Z are skipped by their LENGTH. They are
/// never sent.
struct ChapterD: Hashable, Sendable, BitwiseCopyable {
  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  // The flag of each log is its S bit.
  /// B: the number of Resets, modulo 128.
  var resets: FlaggedValue?
  /// G: the number of Tune Requests, modulo 128.
  var tuneRequests: FlaggedValue?
  /// H: the selected song.
  var song: FlaggedValue?

  @_noLocks @_noAllocation
  init(s: Bool, resets: FlaggedValue?, tuneRequests: FlaggedValue?, song: FlaggedValue?) {
    (self.s, self.resets, self.tuneRequests, self.song) = (s, resets, tuneRequests, song)
  }

  /// Reads the chapter at `position`, including the logs of undefined commands, and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if it extends beyond `end` or if the LENGTH of an undefined command is less
  ///   than its header.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let flags = try packet.readOctet(at: &position, end: end)
    s = flags.has(0x80)
    resets = try flags.has(0x40) ? FlaggedValue(packet, at: &position, end: end) : nil
    tuneRequests = try flags.has(0x20) ? FlaggedValue(packet, at: &position, end: end) : nil
    song = try flags.has(0x10) ? FlaggedValue(packet, at: &position, end: end) : nil
    // Skips the logs J (08), K (04), Y (02) and Z (01).
    var mask: UInt8 = 0x08
    while mask > 0 {
      if flags.has(mask) {
        // F4 and F5 are System Common commands, whose logs have a header of two octets. The logs of the System
        // Real-Time commands F9 and FD have a header of one octet.
        let start = position
        let length =
          try mask > 0x02
          ? Int(packet.readUInt16(at: &position, end: end) & 0x03FF)
          : Int(packet.readOctet(at: &position, end: end) & 0x1F)
        guard start + length >= position, start + length <= end else { throw .malformedJournal }
        position = start + length
      }
      mask >>= 1
    }
  }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) throws(JournalOverflow) {
    try packet.write(
      .bit(0x80, if: s) | .bit(0x40, ifPresent: resets) | .bit(0x20, ifPresent: tuneRequests)
        | .bit(0x10, ifPresent: song))
    if let resets { try resets.append(to: &packet) }
    if let tuneRequests { try tuneRequests.append(to: &packet) }
    if let song { try song.append(to: &packet) }
  }
}
