import BasicContainers

/// A log of Chapter X of the recovery journal, System Exclusive (RFC 6295, appendix B.5). A log describes one command.
/// The chapter is a list of logs, the oldest command first, up to the end of the system journal. The S bit of the first
/// log is also the S bit of the chapter. [n] stands for n bits.
///
///     S T C F D L STA[2] | TCOUNT, if T | COUNT, if C | FIRST, if F | DATA, if D
///
/// FIRST has one to four octets of seven bits; bit 7 is set on all but the last. DATA consists of data octets; bit 7 is
/// set only on the last.
struct ExclusiveLog: Hashable, Sendable, BitwiseCopyable {
  /// STA: the state of the command.
  enum Status: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// The command has not ended.
    case open = 0
    /// The sender has cancelled the command.
    case cancelled = 1
    /// The command ended without F7.
    case droppedF7 = 2
    /// The command ended with F7.
    case finished = 3
  }

  /// S: false if this part contains a command of the previous packet, see ``RecoveryJournalHeader/s``.
  var s: Bool
  /// T: the number of commands of the same kind, modulo 256.
  var kindCount: UInt8?
  /// C: the number of System Exclusive commands, including this one, modulo 256.
  var count: UInt8?
  /// F: the number of data octets before the first octet in DATA, up to 2^28 - 1. Nil, without the field FIRST, stands for 0.
  var first: UInt32?
  /// L: the log belongs to a list of all commands (list tool); otherwise only the newest command of its kind has a log
  /// (recency tool).
  var isListed: Bool
  var status: Status
  /// D: the data octets in the packet, including the last one with its bit 7 set.
  var data: Extent?

  /// Creates a log without data.
  @_noLocks @_noAllocation
  init(s: Bool, kindCount: UInt8? = nil, count: UInt8?, first: UInt32? = nil, isListed: Bool, status: Status) {
    (self.s, self.kindCount, self.count, self.first) = (s, kindCount, count, first)
    (self.isListed, self.status, self.data) = (isListed, status, nil)
  }

  /// Reads the log at `position` and advances `position` past it; nil if it extends beyond `end` or if FIRST has more
  /// than four octets.
  @_noLocks @_noAllocation
  init?(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) {
    guard position < end else { return nil }
    let flags = packet[position]
    var next = position + 1
    guard next + (flags.has(0x40) ? 1 : 0) + (flags.has(0x20) ? 1 : 0) <= end else { return nil }
    s = flags.has(0x80)
    isListed = flags.has(0x04)
    switch flags & 0x03 {
    case 0: status = .open
    case 1: status = .cancelled
    case 2: status = .droppedF7
    default: status = .finished
    }
    kindCount = nil
    if flags.has(0x40) {
      kindCount = packet[next]
      next += 1
    }
    count = nil
    if flags.has(0x20) {
      count = packet[next]
      next += 1
    }
    first = nil
    if flags.has(0x10) {
      guard let value = Self.first(packet, at: &next, end: end) else { return nil }
      first = value
    }
    data = nil
    if flags.has(0x08) {
      let start = next
      while true {
        guard next < end else { return nil }
        next += 1
        if packet[next - 1].has(0x80) { break }
      }
      data = Extent(start: start, end: next)
    }
    position = next
  }

  /// Reads FIRST at `next` and advances `next` past it; nil if it extends beyond `end` or has more than four octets.
  @_noLocks @_noAllocation
  private static func first(_ packet: borrowing Span<UInt8>, at next: inout Int, end: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard next < end else { return nil }
      let octet = packet[next]
      next += 1
      value = value << 7 | UInt32(octet & 0x7F)
      if !octet.has(0x80) { return value }
    }
    return nil
  }

  /// Appends the log, with `dataCount` octets of `octets` from `start` on as DATA, or without DATA if `dataCount` is 0.
  /// ``data`` is ignored. FIRST, up to 2^28 - 1, is written in four octets.
  ///
  /// - Returns: false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(
    _ octets: borrowing RigidArray<UInt8>, from start: Int, count dataCount: Int, to packet: inout RigidArray<UInt8>
  ) -> Bool {
    let header = 1 + (kindCount == nil ? 0 : 1) + (count == nil ? 0 : 1) + (first == nil ? 0 : 4)
    guard packet.freeCapacity >= header + dataCount else { return false }
    packet.append(
      .bit(0x80, if: s) | .bit(0x40, if: kindCount != nil) | .bit(0x20, if: count != nil)
        | .bit(0x10, if: first != nil) | .bit(0x08, if: dataCount > 0) | .bit(0x04, if: isListed) | status.rawValue)
    if let kindCount { packet.append(kindCount) }
    if let count { packet.append(count) }
    if let first {
      packet.append(UInt8(truncatingIfNeeded: first >> 21) | 0x80)
      packet.append(UInt8(truncatingIfNeeded: first >> 14) | 0x80)
      packet.append(UInt8(truncatingIfNeeded: first >> 7) | 0x80)
      packet.append(UInt8(truncatingIfNeeded: first) & 0x7F)
    }
    var index = 0
    while index < dataCount {
      packet.append(octets[start + index] & 0x7F | (index == dataCount - 1 ? 0x80 : 0))
      index += 1
    }
    return true
  }
}
