public import BasicContainers
public import MusicalTime
public import RTPMIDI

/// The sequence numbers and time stamps of the newest packets of a stream that contain a note which begins or ends in the future.
///
/// The recovery journal repairs the loss of a note, but does not contain its time stamp. Without the time stamp, the
/// receiver would sound the repaired note at once. Therefore each later packet that leaves before the instant of the
/// note announces the packet with the note: it repeats the sequence number and the time stamp of that packet. The
/// announcements follow the send instant in the ``RTPMIDI/HeaderExtension``, with one word of 32 bits for each
/// announced packet:
///
///     sequence number, 16 bits | time stamp minus that of the announcing packet, 16 bits, signed, in units of 100 us
public struct AnnouncedPackets: Sendable, BitwiseCopyable {
  /// The maximum number of announced packets. A further packet replaces the oldest packet.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 3 } }

  private struct Entry: BitwiseCopyable {
    var sequence: UInt16
    var instant: Instant
  }

  private var entries = InlineArray<3, Entry>(repeating: Entry(sequence: 0, instant: Instant(nanoseconds: 0)))
  /// The number of announced packets.
  ///
  /// Real-time: safe.
  public private(set) var count = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Announces the packet with this sequence number, whose note takes effect at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ sequence: UInt16, at instant: Instant) {
    if count == Self.capacity { remove(0) }
    entries[count] = Entry(sequence: sequence, instant: instant)
    count += 1
  }

  /// Removes the packets that the next packet does not announce. The next packet leaves at `now` and has the time stamp
  /// `stamp`. A packet is removed if its instant has passed, or if its time stamp is more than 3.2 s from `stamp`,
  /// because the difference has only 16 bits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func prepare(forPacketAt now: Instant, stamped stamp: Instant) {
    var index = 0
    while index < count {
      let distance = entries[index].instant - stamp
      if entries[index].instant <= now || distance > .milliseconds(3200) || distance < .milliseconds(-3200) {
        remove(index)
      } else {
        index += 1
      }
    }
  }

  /// Writes the announcements into a packet whose header extension has room for them.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func write(into packet: inout RigidArray<UInt8>) {
    // The time stamp of the packet is in the octets 4 to 7.
    let stamp = packet.uint32(at: 4)
    for index in 0..<count {
      let distance = RTPHeader.timestamp(of: entries[index].instant) &- stamp
      // The announcements follow the eight octets of the send instant.
      let start = RTPHeader.instantOffset + 8 + 4 * index
      packet.replace(at: start, bigEndian: entries[index].sequence)
      packet.replace(at: start + 2, bigEndian: UInt16(truncatingIfNeeded: distance))
    }
  }

  @_noLocks @_noAllocation
  private mutating func remove(_ index: Int) {
    var index = index
    while index + 1 < count {
      entries[index] = entries[index + 1]
      index += 1
    }
    count -= 1
  }
}

extension RTPHeader {
  /// Returns the time stamp that this packet announces for the packets that were lost directly before it.
  ///
  /// - Parameter previous: the sequence number of the last packet that was received before this packet. The packets between
  ///   the two are lost.
  /// - Returns: the common time stamp of the announced packets among the lost packets. Nil if none of the lost packets is
  ///   announced. Nil also if the announced time stamps differ, because the journal does not show which packet contained
  ///   which note.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func announcedTimestamp(in packet: Span<UInt8>, after previous: UInt16) -> UInt32? {
    guard let headerExtension, case .some = headerExtension.sendInstant(in: packet) else { return nil }
    var found: UInt32?
    // The first two words of the extension are the send instant.
    var word = 2
    while word < Int(headerExtension.words) {
      let start = headerExtension.data.start + 4 * word
      word += 1
      // The number of packets from `previous` to the announced packet.
      let ahead = packet.uint16(at: start) &- previous
      guard ahead > 0, ahead < sequence &- previous else { continue }
      let distance = Int16(bitPattern: packet.uint16(at: start + 2))
      let stamp = timestamp &+ UInt32(bitPattern: Int32(distance))
      if let found, found != stamp { return nil }
      found = stamp
    }
    return found
  }
}
