import BasicContainers

/// A log of Chapter X, System Exclusive (RFC 6295, appendix B.5). The chapter is logs, the oldest command first, to the
/// end of the system journal; the first log's S is the chapter's.
///
///     S T C F D L STA[2] | TCOUNT, if T | COUNT, if C | FIRST, if F | DATA, if D
///
/// FIRST is one to four octets of seven bits, the eighth set on all but the last. DATA is data octets, the eighth bit
/// set on the last of them alone.
struct ExclusiveLog: Hashable, Sendable, BitwiseCopyable {
  enum Status: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// Not ended yet.
    case open = 0
    case cancelled = 1
    /// Ended without F7.
    case droppedF7 = 2
    case finished = 3
  }

  var s: Bool
  /// T: how many commands of the same kind there were, modulo 256.
  var kindCount: UInt8?
  /// C: how many there were, this one included, modulo 256.
  var count: UInt8?
  /// F: how many data octets come before the first in DATA, up to 2^28 - 1; nil where that is 0.
  var first: UInt32?
  /// L: the log is one of a list of all commands; else the newest alone of its kind is logged.
  var isListed: Bool
  var status: Status
  /// D: where the data octets lie, the last, with its eighth bit set, included.
  var data: Extent?

  /// A log without data.
  @_noLocks @_noAllocation
  init(s: Bool, kindCount: UInt8? = nil, count: UInt8?, first: UInt32? = nil, isListed: Bool, status: Status) {
    (self.s, self.kindCount, self.count, self.first) = (s, kindCount, count, first)
    (self.isListed, self.status, self.data) = (isListed, status, nil)
  }

  /// Reads the log at `position` and moves that past it; nil when it reaches beyond `end`, or has a FIRST of more than
  /// four octets.
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

  /// Appends the log with the `count` octets of `data` from `start` on as DATA, or without DATA when `count` is 0; what
  /// ``data`` says is not read. FIRST, up to 2^28 - 1, is written in four octets. Returns false, with nothing appended,
  /// when there is no room.
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
