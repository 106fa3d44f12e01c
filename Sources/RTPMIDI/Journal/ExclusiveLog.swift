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

  /// Reads the log at `position` and advances `position` past it.
  ///
  /// - Throws: ``PacketError/malformedJournal`` if it extends beyond `end` or if FIRST has more than four octets.
  @_noLocks @_noAllocation
  init(_ packet: borrowing Span<UInt8>, at position: inout Int, end: Int) throws(PacketError) {
    let flags = try packet.readOctet(at: &position, end: end)
    s = flags.has(0x80)
    isListed = flags.has(0x04)
    status = Status(rawValue: flags & 0x03) ?? .finished
    kindCount = try flags.has(0x40) ? packet.readOctet(at: &position, end: end) : nil
    count = try flags.has(0x20) ? packet.readOctet(at: &position, end: end) : nil
    first = try flags.has(0x10) ? Self.first(packet, at: &position, end: end) : nil
    guard flags.has(0x08) else { return }
    let start = position
    while try !packet.readOctet(at: &position, end: end).has(0x80) {}
    data = Extent(start: start, end: position)
  }

  /// Reads FIRST at `position` and advances `position` past it.
  @_noLocks @_noAllocation
  private static func first(
    _ packet: borrowing Span<UInt8>, at position: inout Int, end: Int
  ) throws(PacketError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let octet = try packet.readOctet(at: &position, end: end)
      value = value << 7 | UInt32(octet & 0x7F)
      if !octet.has(0x80) { return value }
    }
    throw .malformedJournal
  }

  /// Appends the log, with `dataCount` octets of `octets` from `start` on as DATA, or without DATA if `dataCount` is 0.
  /// ``data`` is ignored. FIRST, up to 2^28 - 1, is written in four octets.
  @_noLocks @_noAllocation
  func append(
    _ octets: borrowing RigidArray<UInt8>, from start: Int, count dataCount: Int, to packet: inout RigidArray<UInt8>
  ) throws(JournalOverflow) {
    try packet.write(
      .bit(0x80, if: s) | .bit(0x40, if: kindCount != nil) | .bit(0x20, if: count != nil)
        | .bit(0x10, if: first != nil) | .bit(0x08, if: dataCount > 0) | .bit(0x04, if: isListed) | status.rawValue)
    if let kindCount { try packet.write(kindCount) }
    if let count { try packet.write(count) }
    if let first {
      try packet.write(UInt8(truncatingIfNeeded: first >> 21) | 0x80)
      try packet.write(UInt8(truncatingIfNeeded: first >> 14) | 0x80)
      try packet.write(UInt8(truncatingIfNeeded: first >> 7) | 0x80)
      try packet.write(UInt8(truncatingIfNeeded: first) & 0x7F)
    }
    guard dataCount > 0 else { return }
    // One check of the room, because most journals consist of these octets.
    guard packet.freeCapacity >= dataCount else { throw .tooLong }
    let last = start + dataCount - 1
    for index in start..<last { packet.append(octets[index] & 0x7F) }
    packet.append(octets[last] & 0x7F | 0x80)
  }
}
