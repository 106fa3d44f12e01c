import BasicContainers
import MIDI

/// Encodes the command section of one packet's payload (RFC 6295 section 3).
///
///     B J Z P LEN[4]            B=0: a list of at most 15 octets
///     B J Z P LEN[4] LEN[8]     B=1: a list of at most 4095 octets
///
/// [n] stands for n bits. LEN is the length of the list in octets: four bits, or twelve bits if B = 1. J = 1 means that a
/// recovery journal follows the list.
///
/// The list contains commands. Each command is preceded by its delta time: the time since the previous command, in
/// units of 100 us, in one to four octets of seven bits. The first delta time is omitted if it is 0; Z = 0 states this.
/// P is always 0, because every command had a status octet at its source.
///
/// The header has one octet at first. If the list turns out to need a header of two octets, ``finish(in:hasJournal:)``
/// moves the list by one octet.
public struct CommandSectionEncoder: BitwiseCopyable {
  /// The offset of the header in the packet.
  private let start: Int
  private let usesRunningStatus: Bool
  /// The status octet of the newest channel command; 0 if there is no running status.
  private var runningStatus: UInt8 = 0
  /// Z: whether a delta time precedes the first command.
  private var beginsWithDelta = false

  /// The maximum length of the list in octets: LEN has twelve bits.
  private static var maximumLength: Int { @_noLocks @_noAllocation get { 4095 } }

  /// Starts a section at the end of `packet`; nil if the packet is full.
  ///
  /// - Parameter usesRunningStatus: whether to omit the status octet of a channel command if it equals the running status.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(in packet: inout RigidArray<UInt8>, usesRunningStatus: Bool = false) {
    guard packet.freeCapacity > 0 else { return nil }
    self.usesRunningStatus = usesRunningStatus
    start = packet.count
    packet.append(0)
  }

  /// Appends `message`.
  ///
  /// - Parameters:
  ///   - message: the command.
  ///   - delta: the time since the previous command, or since the time stamp of the packet for the first command, in
  ///     units of 100 us.
  ///   - packet: the packet.
  /// - Returns: false, with nothing appended, if the packet or the list has no room, or if `delta` is 2^28 or more.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func append(_ message: Message, after delta: UInt32 = 0, to packet: inout RigidArray<UInt8>) -> Bool {
    let bytes = message.bytes
    let status = bytes.octets[0]
    let skipped = usesRunningStatus && status == runningStatus ? 1 : 0
    guard let deltaLength = deltaLength(delta, in: packet), fits(deltaLength + bytes.count - skipped, in: packet) else {
      return false
    }
    append(delta: delta, length: deltaLength, to: &packet)
    for index in skipped..<bytes.count { packet.append(bytes.octets[index]) }
    if status < 0xF0 { runningStatus = status } else if status < 0xF8 { runningStatus = 0 }
    return true
  }

  /// Appends a System Exclusive as far as there is room: the complete command, or its next segment.
  ///
  /// - Parameters:
  ///   - data: all data octets, without F0 and F7, each below 128.
  ///   - sent: the number of data octets in earlier packets.
  ///   - delta: the time since the previous command, in units of 100 us.
  ///   - reserve: the number of octets of `packet` to leave free.
  /// - Returns: the number of data octets sent so far, including this segment; `data.count` if the command is complete.
  ///   Nil, with nothing appended, if there is no room for a data octet, if an octet is 128 or more, if nothing is left
  ///   to send, or if `delta` is 2^28 or more.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func append(
    systemExclusive data: borrowing RigidArray<UInt8>, from sent: Int = 0, after delta: UInt32 = 0,
    leaving reserve: Int = 0, to packet: inout RigidArray<UInt8>
  ) -> Int? {
    let total = data.count
    guard sent >= 0 && sent < total || total == 0 && sent == 0 else { return nil }
    for index in sent..<total where data[index] > 127 { return nil }
    guard let deltaLength = deltaLength(delta, in: packet) else { return nil }
    // Besides the data, the packet needs room for the delta time, for the first and the last octet of the segment, and
    // for the second octet of the header. The list needs room for all of these except the second octet of the header.
    let listLength = packet.count - start - 1
    let room = min(packet.freeCapacity - reserve - 1, Self.maximumLength - listLength) - deltaLength - 2
    let count = min(room, total - sent)
    guard room >= 0 && (count > 0 || total == 0) else { return nil }
    append(delta: delta, length: deltaLength, to: &packet)
    packet.append(sent == 0 ? 0xF0 : 0xF7)
    for index in sent..<sent + count { packet.append(data[index]) }
    packet.append(sent + count == total ? 0xF7 : 0xF0)
    runningStatus = 0
    return sent + count
  }

  /// Completes the header. The caller appends the journal, if there is one, after this call.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func finish(in packet: inout RigidArray<UInt8>, hasJournal: Bool = false) {
    let length = packet.count - start - 1
    let flags: UInt8 = (hasJournal ? 0x40 : 0) | (beginsWithDelta ? 0x20 : 0)
    if length <= 15 {
      packet[start] = flags | UInt8(truncatingIfNeeded: length)
      return
    }
    // Moves the list by one octet, to make room for the second octet of the header.
    packet.append(0)
    var index = packet.count - 1
    while index > start + 1 {
      packet[index] = packet[index - 1]
      index -= 1
    }
    packet[start] = 0x80 | flags | UInt8(truncatingIfNeeded: length >> 8)
    packet[start + 1] = UInt8(truncatingIfNeeded: length)
  }

  /// Whether `count` more octets fit into the list and into the packet. A list of more than 15 octets also needs the
  /// second octet of the header.
  @_noLocks @_noAllocation
  private func fits(_ count: Int, in packet: borrowing RigidArray<UInt8>) -> Bool {
    let length = packet.count - start - 1 + count
    return length <= Self.maximumLength && packet.freeCapacity >= count + (length > 15 ? 1 : 0)
  }

  /// Returns the number of octets of the delta time `delta`: 0 if it is omitted because it is 0 and the list is empty;
  /// nil if four octets are too few.
  @_noLocks @_noAllocation
  private func deltaLength(_ delta: UInt32, in packet: borrowing RigidArray<UInt8>) -> Int? {
    switch delta {
    case 0: packet.count == start + 1 ? 0 : 1
    case 0..<1 << 7: 1
    case 0..<1 << 14: 2
    case 0..<1 << 21: 3
    case 0..<1 << 28: 4
    default: nil
    }
  }

  /// Appends `delta` in `length` octets of seven bits, the most significant first. Bit 7 is set on all but the last.
  @_noLocks @_noAllocation
  private mutating func append(delta: UInt32, length: Int, to packet: inout RigidArray<UInt8>) {
    if length > 0 && packet.count == start + 1 { beginsWithDelta = true }
    for index in 0..<length {
      let rest = length - 1 - index
      packet.append(UInt8(truncatingIfNeeded: delta >> (7 * UInt32(rest))) & 0x7F | (rest > 0 ? 0x80 : 0))
    }
  }
}
