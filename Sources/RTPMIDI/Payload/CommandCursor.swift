import MIDI

/// Decodes the command section of a packet's payload (RFC 6295 section 3) command by command.
///
/// The section consists of a header and a list of commands. A delta time precedes each command. Only the first command
/// can lack its delta time. The cursor stores offsets, not octets: pass the same packet to each call.
///
/// Running status applies from one channel command to the next, also across real-time messages. Any other system message
/// ends running status. The first command must have a status octet, whatever the P bit says (P = 1 means that the status
/// octet was omitted at the source). The last delta time may have no command after it. An error ends the list,
/// but the commands before it are valid.
public struct CommandCursor: BitwiseCopyable {
  public enum Command: Hashable, Sendable, BitwiseCopyable {
    case message(Message)
    case systemExclusive(SystemExclusiveSegment)
  }

  /// The recovery journal after the list; nil if the packet has none. It is never read as commands.
  public let journal: Extent?
  /// The sum of all delta times so far, in units of 100 us: the due time of the latest command, relative to the time
  /// stamp of the packet.
  public private(set) var time: Int64 = 0
  /// The offset in the packet of the next octet to read.
  private var position: Int
  /// The offset directly after the list.
  private let end: Int
  /// Whether a delta time precedes the next command. Only the first command may lack it.
  private var expectsDelta: Bool
  /// The status octet of the newest channel command; 0 if there is no running status.
  private var runningStatus: UInt8 = 0

  /// Creates a cursor before the first command of `payload`.
  ///
  /// - Throws: ``PacketError/truncated`` if the payload is shorter than its header or list.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ packet: borrowing Span<UInt8>, payload: Extent) throws(PacketError) {
    guard payload.count >= 1 else { throw .truncated }
    // B (80): LEN has twelve bits instead of four. J (40): a journal follows. Z (20): a delta time precedes the first
    // command.
    let flags = packet[payload.start]
    var length = Int(flags & 0x0F)
    position = payload.start + 1
    if flags & 0x80 != 0 {
      guard payload.count >= 2 else { throw .truncated }
      length = length << 8 | Int(packet[position])
      position += 1
    }
    guard length <= payload.end - position else { throw .truncated }
    end = position + length
    journal = flags & 0x40 != 0 ? Extent(start: end, end: payload.end) : nil
    expectsDelta = flags & 0x20 != 0
  }

  /// Returns the next command; nil at the end of the list.
  ///
  /// - Throws: ``PacketError/truncated`` or ``PacketError/malformedCommands``. After an error, the cursor is at the end
  ///   of the list.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(in packet: Span<UInt8>) throws(PacketError) -> Command? {
    do {
      return try read(packet)
    } catch {
      position = end
      throw error
    }
  }

  /// Returns the number of remaining commands before the end of the list or the first error, and whether there is an error.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func count(in packet: Span<UInt8>) -> (commands: Int, isMalformed: Bool) {
    var cursor = self
    var count = 0
    do throws(PacketError) {
      while case .some = try cursor.next(in: packet) { count += 1 }
      return (count, false)
    } catch {
      return (count, true)
    }
  }

  /// Reads a delta time, if there is one, and the command after it; nil at the end of the list.
  @_noLocks @_noAllocation
  private mutating func read(_ packet: Span<UInt8>) throws(PacketError) -> Command? {
    guard position < end else { return nil }
    if expectsDelta { time &+= try readDelta(packet) }
    expectsDelta = true
    guard position < end else { return nil }
    var status = packet[position]
    if status >= 0x80 {
      position += 1
    } else {
      guard runningStatus != 0 else { throw .malformedCommands }
      status = runningStatus
    }
    // Real-time messages (F8...FF) do not affect running status.
    if status < 0xF0 { runningStatus = status } else if status < 0xF8 { runningStatus = 0 }
    if status == 0xF0 || status == 0xF7 { return .systemExclusive(try readSegment(packet, status: status)) }
    guard let count = Message.dataCount(status: status) else { throw .malformedCommands }
    let first = count > 0 ? try readData(packet) : 0
    let second = count > 1 ? try readData(packet) : 0
    guard let message = Message(status: status, first, second) else { throw .malformedCommands }
    return .message(message)
  }

  /// Reads a delta time: big-endian groups of seven bits; bit 7 is set in all octets but the last (RFC 6295, figure 4).
  @_noLocks @_noAllocation
  private mutating func readDelta(_ packet: Span<UInt8>) throws(PacketError) -> Int64 {
    var delta: Int64 = 0
    for _ in 0..<4 {
      guard position < end else { throw .truncated }
      let octet = packet[position]
      position += 1
      delta = delta << 7 | Int64(octet & 0x7F)
      if octet & 0x80 == 0 { return delta }
    }
    throw .malformedCommands
  }

  /// Reads one data octet of a command.
  @_noLocks @_noAllocation
  private mutating func readData(_ packet: Span<UInt8>) throws(PacketError) -> UInt7 {
    guard position < end else { throw .truncated }
    let octet = packet[position]
    guard octet < 0x80 else { throw .malformedCommands }
    position += 1
    return UInt7(masking: octet)
  }

  /// Reads a segment of a System Exclusive after its first octet `status`: the data octets and the last octet.
  @_noLocks @_noAllocation
  private mutating func readSegment(
    _ packet: Span<UInt8>, status: UInt8
  ) throws(PacketError) -> SystemExclusiveSegment {
    let start = position
    while position < end {
      if packet[position] >= 0x80 { break }
      position += 1
    }
    guard position < end else { throw .truncated }
    let data = Extent(start: start, end: position)
    let last = packet[position]
    position += 1
    switch (status, last) {
    case (0xF0, 0xF7): return SystemExclusiveSegment(kind: .whole, data: data)
    case (0xF0, 0xF0): return SystemExclusiveSegment(kind: .first, data: data)
    case (0xF7, 0xF0): return SystemExclusiveSegment(kind: .middle, data: data)
    case (0xF7, 0xF7): return SystemExclusiveSegment(kind: .last, data: data)
    case (0xF7, 0xF4): return SystemExclusiveSegment(kind: .cancel, data: data)
    default: throw .malformedCommands
    }
  }
}

/// A System Exclusive, or a segment of one, in a command list (RFC 6295 section 3.2, figure 5). The first and the last
/// octet identify the segment: F0...F7 is a complete command, F0...F0 the first segment, F7...F0 a middle segment, and
/// F7...F7 the last one; F7 F4 cancels the command.
public struct SystemExclusiveSegment: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable { case whole, first, middle, last, cancel }

  public let kind: Kind
  /// The data octets, without the octets at both ends.
  public let data: Extent
}
