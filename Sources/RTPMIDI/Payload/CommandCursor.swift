import MIDI

/// Reads the command section of a packet's payload (RFC 6295 section 3), a command at a time.
///
/// It holds places, not octets: give it the same packet each time. Running status reaches from one channel command to
/// the next over real-time messages and ends at any other system message. The first command must have its status octet,
/// whatever the P bit says of the source. The last command may be missing after its delta time. A fault ends the list
/// where it is found.
public struct CommandCursor: BitwiseCopyable {
  public enum Command: Hashable, Sendable, BitwiseCopyable {
    case message(Message)
    case systemExclusive(SystemExclusiveSegment)
  }

  /// The recovery journal behind the list, if the packet has one. Never read as commands.
  public let journal: Extent?
  /// The sum of all delta times so far, in units of 100 us: when the latest command counts, after the packet's time
  /// stamp.
  public private(set) var time: Int64 = 0
  private var position: Int
  private let end: Int
  private var expectsDelta: Bool
  private var runningStatus: UInt8 = 0

  /// A cursor before the first command of `payload`.
  ///
  /// - Throws: ``PacketError/truncated``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ packet: borrowing Span<UInt8>, payload: Extent) throws(PacketError) {
    guard payload.count >= 1 else { throw .truncated }
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

  /// The next command, or nil at the end of the list.
  ///
  /// - Throws: ``PacketError/truncated`` or ``PacketError/malformedCommands``; after that, the list is at its end.
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

  /// How many commands there are from here on.
  ///
  /// - Throws: as ``next(in:)`` would on the way.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func count(in packet: Span<UInt8>) throws(PacketError) -> Int {
    var cursor = self
    var count = 0
    while case .some = try cursor.next(in: packet) { count += 1 }
    return count
  }

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
    if status < 0xF0 { runningStatus = status } else if status < 0xF8 { runningStatus = 0 }
    if status == 0xF0 || status == 0xF7 { return .systemExclusive(try readSegment(packet, status: status)) }
    guard let count = Message.dataCount(status: status) else { throw .malformedCommands }
    let first = count > 0 ? try readData(packet) : 0
    let second = count > 1 ? try readData(packet) : 0
    guard let message = Message(status: status, first, second) else { throw .malformedCommands }
    return .message(message)
  }

  /// Big-endian groups of seven bits, the eighth set on all but the last (RFC 6295, figure 4).
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

  @_noLocks @_noAllocation
  private mutating func readData(_ packet: Span<UInt8>) throws(PacketError) -> UInt7 {
    guard position < end else { throw .truncated }
    let octet = packet[position]
    guard octet < 0x80 else { throw .malformedCommands }
    position += 1
    return UInt7(masking: octet)
  }

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
