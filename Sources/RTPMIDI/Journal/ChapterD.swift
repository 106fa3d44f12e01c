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
  /// The log B, G or H: a count or a value.
  struct Log: Hashable, Sendable, BitwiseCopyable {
    /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
    var s: Bool
    var value: UInt7

    @_noLocks @_noAllocation
    init(s: Bool, value: UInt7) { (self.s, self.value) = (s, value) }
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// B: the number of Resets, modulo 128.
  var resets: Log?
  /// G: the number of Tune Requests, modulo 128.
  var tuneRequests: Log?
  /// H: the selected song.
  var song: Log?

  @_noLocks @_noAllocation
  init(s: Bool, resets: Log?, tuneRequests: Log?, song: Log?) {
    (self.s, self.resets, self.tuneRequests, self.song) = (s, resets, tuneRequests, song)
  }

  /// Reads the chapter at `position`, including the logs of undefined commands, and advances `position` past it; nil if
  /// it extends beyond `end` or if the LENGTH of an undefined command is less than its header.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    let flags = packet[position]
    var next = position + 1
    s = flags.has(0x80)
    guard next + Self.simpleLogs(flags) <= end else { return nil }
    resets = flags.has(0x40) ? Self.log(packet, at: &next) : nil
    tuneRequests = flags.has(0x20) ? Self.log(packet, at: &next) : nil
    song = flags.has(0x10) ? Self.log(packet, at: &next) : nil
    // Skips the logs J (08), K (04), Y (02) and Z (01).
    var mask: UInt8 = 0x08
    while mask > 0 {
      if flags.has(mask) {
        // F4 and F5 are System Common commands, whose logs have a header of two octets. The logs of the System
        // Real-Time commands F9 and FD have a header of one octet.
        let isCommon = mask > 0x02
        guard next + (isCommon ? 2 : 1) <= end else { return nil }
        let length = isCommon ? Int(packet.uint16(at: next) & 0x03FF) : Int(packet[next] & 0x1F)
        guard length >= (isCommon ? 2 : 1), next + length <= end else { return nil }
        next += length
      }
      mask >>= 1
    }
    position = next
  }

  /// Returns the number of set flags among B, G and H. Each of their logs has one octet.
  @_noLocks @_noAllocation
  private static func simpleLogs(_ flags: UInt8) -> Int {
    Int(flags >> 6 & 1) + Int(flags >> 5 & 1) + Int(flags >> 4 & 1)
  }

  @_noLocks @_noAllocation
  private static func log(_ packet: borrowing Span<UInt8>, at next: inout Int) -> Log {
    let octet = packet[next]
    next += 1
    return Log(s: octet.has(0x80), value: UInt7(masking: octet))
  }

  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>) -> Bool {
    let flags: UInt8 =
      .bit(0x80, if: s) | .bit(0x40, if: resets != nil) | .bit(0x20, if: tuneRequests != nil)
      | .bit(0x10, if: song != nil)
    guard packet.freeCapacity >= 1 + Self.simpleLogs(flags) else { return false }
    packet.append(flags)
    if let resets { Self.append(resets, to: &packet) }
    if let tuneRequests { Self.append(tuneRequests, to: &packet) }
    if let song { Self.append(song, to: &packet) }
    return true
  }

  @_noLocks @_noAllocation
  private static func append(_ log: Log, to packet: inout RigidArray<UInt8>) {
    packet.append(.bit(0x80, if: log.s) | log.value.value)
  }
}
