import BasicContainers
import MIDI
import MusicalTime

/// The receiving half of one RTP stream: from its packets, the messages that may reach the music.
///
/// ``open(_:near:)`` takes a packet, then ``next(in:)`` gives its commands one by one. A packet received before, or too
/// old to tell, throws: a replay does not reach the music. Of a packet that is new but overtaken by a later one, only
/// what is right in any order is given: Timing Clocks, which a follower counts, if no Start, Continue, Stop or Song
/// Position has come since; and the ends of notes, since a silence too many heals and a note too many sounds on. The
/// rest is held back and counted: an older controller value or Stop must not undo a newer one, and for a sender with a
/// journal it is as good as lost and repaired.
public struct PacketReceiver: ~Copyable {
  public enum Event: Hashable, Sendable, BitwiseCopyable {
    /// A message, and when it counts by the sender's clock, in whole units of 100 us.
    case message(Message, Instant)
    /// ``PacketReceiver/systemExclusive`` is complete; the instant is that of its last piece.
    case systemExclusive(Instant)
  }

  public let ssrc: UInt32
  private var counts = ReceptionStatistics()
  private var window = SequenceWindow()
  private var assembly: SystemExclusiveAssembly
  private var commands: CommandCursor?
  /// When the open packet counts.
  private var stamp = Int64(0)
  /// The open packet's place in the stream, if others have overtaken it.
  private var latePlace: Int64?
  /// The place of the last packet with a Start, Continue, Stop or Song Position.
  private var transportPlace: Int64 = -1

  /// A receiver for the stream of `ssrc`.
  ///
  /// - Parameter systemExclusiveCapacity: how many data octets a System Exclusive may have. The room is taken here, once.
  ///
  /// Real-time: not safe.
  public init(ssrc: UInt32, systemExclusiveCapacity: Int) {
    self.ssrc = ssrc
    assembly = SystemExclusiveAssembly(capacity: systemExclusiveCapacity)
  }

  /// Real-time: safe.
  public var statistics: ReceptionStatistics {
    @_noLocks @_noAllocation get {
      var statistics = counts
      statistics.droppedSystemExclusives = assembly.dropped
      return statistics
    }
  }

  /// The highest sequence number received, or nil before the first packet: what receiver feedback tells the sender.
  ///
  /// Real-time: safe.
  public var highestSequence: UInt16? {
    @_noLocks @_noAllocation get { window.highest < 0 ? nil : window.sequence }
  }

  /// How many octets ``systemExclusive(at:)`` has.
  ///
  /// Real-time: safe.
  public var systemExclusiveCount: Int { @_noLocks @_noAllocation get { assembly.data.count } }

  /// A data octet, F0 and F7 not counted, of the System Exclusive that ``next(in:)`` has just completed.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func systemExclusive(at index: Int) -> UInt8 { assembly.data[index] }

  /// Takes a datagram. Its time stamp's missing upper bits are those that bring it nearest to `reference`.
  ///
  /// - Parameter reference: about now, by the sender's clock; within two days is near enough.
  /// - Throws: ``PacketError``; then the packet has no commands to give.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func open(_ packet: Span<UInt8>, near reference: Instant) throws(PacketError) {
    commands = nil
    let (header, payload) = try RTPHeader.decode(packet)
    guard header.ssrc == ssrc else { throw .otherSource }
    // Before the packet takes its place in the stream: a truncated one takes none, so that its original can still come.
    let cursor = try CommandCursor(packet, payload: payload)
    try place(header.sequence)
    if let journal = cursor.journal {
      do { _ = try RecoveryJournalHeader(packet, in: journal) } catch { counts.malformedJournals &+= 1 }
    }
    stamp = unwrap(header.timestamp, near: reference.hundredMicroseconds)
    commands = cursor
  }

  /// The next event of the packet last opened, or nil after its last.
  ///
  /// - Throws: ``PacketError/truncated`` or ``PacketError/malformedCommands``, once; what came before counts.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(in packet: Span<UInt8>) throws(PacketError) -> Event? {
    guard var cursor = commands else { return nil }
    do {
      while let command = try cursor.next(in: packet) {
        guard let event = event(of: command, at: Instant(hundredMicroseconds: stamp &+ cursor.time), in: packet) else {
          continue
        }
        commands = cursor
        return event
      }
    } catch {
      counts.malformed &+= 1
      commands = nil
      throw error
    }
    commands = nil
    return nil
  }

  @_noLocks @_noAllocation
  private mutating func place(_ sequence: UInt16) throws(PacketError) {
    switch window.admit(sequence) {
    case .next(let lost):
      latePlace = nil
      counts.lost &+= lost
      if lost > 0 { assembly.abandon() }
    case .late(let place):
      latePlace = place
      counts.lost &-= 1
      counts.reordered &+= 1
    case .duplicate:
      counts.duplicates &+= 1
      throw .duplicate
    case .outOfWindow:
      counts.outOfWindow &+= 1
      throw .outOfWindow
    }
    counts.received &+= 1
  }

  @_noLocks @_noAllocation
  private mutating func event(
    of command: CommandCursor.Command, at instant: Instant, in packet: Span<UInt8>
  ) -> Event? {
    switch command {
    case .message(let message):
      if let latePlace, !isRightInAnyOrder(message, from: latePlace) {
        counts.heldBack &+= 1
        return nil
      }
      switch message {
      case .start, .continue, .stop, .songPosition: transportPlace = window.highest
      default: break
      }
      return .message(message, instant)
    case .systemExclusive(let segment):
      guard latePlace == nil else {
        counts.heldBack &+= 1
        return nil
      }
      return assembly.take(segment, in: packet) ? .systemExclusive(instant) : nil
    }
  }

  @_noLocks @_noAllocation
  private func isRightInAnyOrder(_ message: Message, from place: Int64) -> Bool {
    if case .clock = message { return place > transportPlace }
    return message.silencesNote
  }

  /// The count whose low 32 bits are `stamp`, nearest to `reference`.
  @_noLocks @_noAllocation
  private func unwrap(_ stamp: UInt32, near reference: Int64) -> Int64 {
    reference &+ Int64(Int32(bitPattern: stamp &- UInt32(truncatingIfNeeded: reference)))
  }
}
