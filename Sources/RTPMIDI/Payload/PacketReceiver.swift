import BasicContainers
import MIDI
import MusicalTime

/// The receiver of one RTP stream: decodes its packets, and repairs losses from their recovery journals.
///
/// ``open(_:near:)`` checks a packet; then ``next(in:)`` returns its commands one by one. All commands have to be read
/// before the next packet is opened. `open` throws for a packet of another stream, for a duplicate, for a packet that is
/// too old to be distinguished from a replay or implausibly far ahead, and for a packet that is shorter than its command list. No
/// command of such a packet is delivered.
///
/// Some devices send packets that are partly wrong. Of a malformed command list, the commands before the error are delivered. A malformed
/// journal is ignored. Both are counted.
///
/// The journal of a packet is used if the packet is the first of the stream, if the packets directly before it are
/// missing, or if the stream restarts with it (``SequenceWindow``). The messages that repair the loss are delivered
/// first, as ``Event/recovered(_:_:)``, then the commands of the packet. A packet that arrives after a journal has
/// repaired its loss is held back completely: its commands are only counted.
///
/// Without a journal, losses are not repaired. Of a packet that arrives after a later packet, only commands that are
/// correct in any order are delivered:
///
/// - Timing Clocks, which a follower counts, unless a later packet with a Start, Continue, Stop or Song Position has
///   arrived;
/// - the ends of notes, because a superfluous Note Off does no lasting harm. (A late Note On is held back: if its Note
///   Off has already arrived, the note would not end.)
///
/// All other commands are held back and counted, because an older controller value or Stop must not replace a newer
/// one.
///
/// A *place* is the index of a packet in the stream: the number of sequence numbers from the first packet, without
/// wrapping.
public struct PacketReceiver: ~Copyable {
  public enum Event: Hashable, Sendable, BitwiseCopyable {
    /// A message, and the instant at which it takes effect by the sender's clock, in whole units of 100 us.
    case message(Message, Instant)
    /// A message that repairs a loss, and the time stamp of the packet whose journal contains it. A recovered Clock
    /// corrects the tick count and contains no information about time.
    case recovered(Message, Instant)
    /// A System Exclusive is complete. The instant is that of its last segment, or of the packet whose journal contains
    /// it.
    case systemExclusive(Instant)
  }

  /// The synchronization source identifier of the stream.
  ///
  /// Real-time: safe.
  public private(set) var ssrc: UInt32
  var counts = ReceptionStatistics()
  var window = SequenceWindow()
  var assembly: SystemExclusiveAssembly
  var state = ReceivedState()
  /// The repair from the journal of the open packet.
  private var repair = JournalRepair()
  /// The length of the recovery journal of the newest packet, in octets; nil if the packet has no journal.
  ///
  /// Real-time: safe.
  public private(set) var journalLength: Int?
  /// The place of the newest packet whose journal was used. All packets before this packet have arrived, or a journal
  /// has repaired their loss.
  private var repairedPlace: Int64 = -1
  /// The remaining commands of the open packet; nil if no packet is open.
  private var commands: CommandCursor?
  /// Whether the command list of the open packet is malformed.
  private var isMalformed = false
  /// The number of commands in the packet that was opened last, delivered or held back; 0 for a guard packet.
  ///
  /// Real-time: safe.
  public private(set) var commandCount = 0
  /// The unwrapped time stamp of the open packet, in units of 100 us.
  private var stamp = Int64(0)
  /// The place of the open packet if a later packet has arrived before it; otherwise nil.
  var latePlace: Int64?
  /// The place of the newest packet with a Start, Continue, Stop or Song Position.
  var transportPlace: Int64 = -1

  /// Creates a receiver for the stream of `ssrc`.
  ///
  /// - Parameter systemExclusiveCapacity: the maximum number of data octets of a System Exclusive. The memory is
  ///   allocated once, by this call.
  ///
  /// Real-time: not safe.
  public init(ssrc: UInt32, systemExclusiveCapacity: Int) {
    self.ssrc = ssrc
    assembly = SystemExclusiveAssembly(capacity: systemExclusiveCapacity)
  }

  /// Prepares for another stream. The memory is reused.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func restart(ssrc: UInt32) {
    self.ssrc = ssrc
    (counts, window, repair, commands) = (ReceptionStatistics(), SequenceWindow(), JournalRepair(), nil)
    assembly.restart()
    state.restart()
    (journalLength, repairedPlace, commandCount, stamp) = (nil, -1, 0, 0)
    (latePlace, transportPlace, isMalformed) = (nil, -1, false)
  }

  /// The statistics of the stream.
  ///
  /// Real-time: safe.
  public var statistics: ReceptionStatistics {
    @_noLocks @_noAllocation get {
      var statistics = counts
      statistics.droppedSystemExclusives = assembly.dropped
      return statistics
    }
  }

  /// The number of missing packets: ``ReceptionStatistics/lost``.
  ///
  /// Real-time: safe.
  public var lost: Int64 { @_noLocks @_noAllocation get { counts.lost } }

  /// Whether the newest packet had a recovery journal.
  ///
  /// Real-time: safe.
  public var hasJournal: Bool {
    @_noLocks @_noAllocation get {
      if case .some = journalLength { true } else { false }
    }
  }

  /// The highest sequence number received, which receiver feedback reports to the sender; nil before the first packet.
  ///
  /// Real-time: safe.
  public var highestSequence: UInt16? {
    @_noLocks @_noAllocation get { window.highest < 0 ? nil : window.sequence }
  }

  /// Returns the highest sequence number received; nil before the first packet.
  ///
  /// Real-time: safe.
  // Mutating, because the compiler copies the receiver (1160 octets) for a getter if it is an element of a container.
  @_noLocks @_noAllocation
  public mutating func newestSequence() -> UInt16? { highestSequence }

  /// The number of data octets of the System Exclusive that ``next(in:)`` has just completed.
  ///
  /// Real-time: safe.
  public var systemExclusiveCount: Int { @_noLocks @_noAllocation get { assembly.data.count } }

  /// Returns a data octet of the System Exclusive that ``next(in:)`` has just completed. F0 and F7 are not included.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func systemExclusive(at index: Int) -> UInt8 { assembly.data[index] }

  /// Returns the data octets of the System Exclusive that ``next(in:)`` has just completed, without F0 and F7.
  ///
  /// Real-time: not safe.
  // Mutating, because the compiler copies the receiver (1160 octets) for a nonmutating function if it is an element of a container.
  public mutating func systemExclusiveOctets() -> [UInt8] { assembly.data.span.array(first: assembly.data.count) }

  /// Opens a packet. Its time stamp has only the lower 32 bits of an instant. The upper bits are chosen so that the
  /// instant is as close as possible to `reference`.
  ///
  /// - Parameter reference: the approximate current time by the sender's clock. An error of two days is permitted.
  /// - Throws: ``PacketError``; ``next(in:)`` then returns nil.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func open(_ packet: Span<UInt8>, near reference: Instant) throws(PacketError) {
    commands = nil
    repair.discard()
    let (header, payload) = try RTPHeader.decode(packet)
    guard header.ssrc == ssrc else { throw .otherSource }
    let cursor = try CommandCursor(packet, payload: payload)
    let (count, isMalformed) = cursor.count(in: packet)
    // The complete journal is checked before it is used.
    var (checkpoint, isJournalMalformed) = (UInt16?.none, false)
    if let extent = cursor.journal {
      do throws(PacketError) {
        let journal = try JournalCursor(packet, in: extent)
        try journal.check(in: packet)
        checkpoint = journal.header.checkpoint
      } catch {
        isJournalMalformed = true
      }
    }
    let (place, loss) = try admit(header.sequence, checkpoint)
    // Few packets reveal a loss. The journal is therefore decoded again, instead of kept.
    if let loss, let extent = cursor.journal, let journal = try? JournalCursor(packet, in: extent) {
      repair.begin(journal, isSinglePacketLoss: loss.isSinglePacket, coversLoss: loss.isCovered)
    }
    if isMalformed { counts.malformed &+= 1 }
    if isJournalMalformed { counts.malformedJournals &+= 1 }
    (commandCount, self.isMalformed) = (count, isMalformed)
    if place < window.highest {
      latePlace = place
      if place < repairedPlace {
        counts.heldBack &+= UInt64(count)
        return
      }
    } else {
      latePlace = nil
      if let extent = cursor.journal, !isJournalMalformed { journalLength = extent.count } else { journalLength = nil }
    }
    stamp = unwrap(header.timestamp, near: reference.hundredMicroseconds)
    commands = cursor
  }

  /// Returns the next event of the open packet; nil after the last one.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(in packet: Span<UInt8>) -> Event? {
    guard var cursor = commands else { return nil }
    switch repair.next(in: packet, state: &state, assembly: &assembly) {
    case .message(let message):
      counts.recovered &+= 1
      return .recovered(message, Instant(hundredMicroseconds: stamp))
    case .systemExclusive:
      counts.recovered &+= 1
      return .systemExclusive(Instant(hundredMicroseconds: stamp))
    case nil: break
    }
    // The cursor stops at the end of the list, or at an error.
    while let command = try? cursor.next(in: packet) {
      guard let event = event(of: command, at: Instant(hundredMicroseconds: stamp &+ cursor.time), in: packet) else {
        continue
      }
      commands = cursor
      return event
    }
    commands = nil
    // Segments of a System Exclusive may have followed the error.
    if isMalformed, latePlace == nil { assembly.abandon() }
    return nil
  }

  /// A loss that the journal of the open packet repairs.
  private struct Loss: BitwiseCopyable {
    /// Whether only the previous packet is missing.
    let isSinglePacket: Bool
    /// Whether the journal covers all lost packets.
    let isCovered: Bool
  }

  /// Registers the sequence number of a packet and returns its place. If the packet has a journal, also returns the loss that the journal
  /// repairs in three cases: it is the first packet, packets directly before it are missing, or the stream restarts with it.
  ///
  /// - Parameter checkpoint: the checkpoint of the journal; nil if the packet has no usable journal.
  /// - Throws: ``PacketError/duplicate`` or ``PacketError/outOfWindow``.
  @_noLocks @_noAllocation
  private mutating func admit(
    _ sequence: UInt16, _ checkpoint: UInt16?
  ) throws(PacketError) -> (place: Int64, loss: Loss?) {
    let isFirst = window.highest < 0
    let expected = window.sequence &+ 1
    switch window.admit(sequence) {
    case .next(let lost):
      counts.received &+= 1
      counts.lost &+= lost
      guard let checkpoint else {
        if lost > 0 { assembly.abandon() }
        return (window.highest, nil)
      }
      guard isFirst || lost > 0 else { return (window.highest, nil) }
      // The journal covers the loss if its checkpoint is not after the first missing packet. No packet is known to be
      // missing before the first packet of the stream, so the journal of the first packet counts as covering.
      let coversLoss = isFirst ? true : !checkpoint.isAfter(expected)
      if lost > 0 { counts.repairs &+= 1 }
      if !coversLoss {
        counts.uncovered &+= 1
        assembly.abandon()
      }
      repairedPlace = window.highest
      return (window.highest, Loss(isSinglePacket: lost == 1, isCovered: coversLoss))
    case .restarted:
      counts.received &+= 1
      assembly.abandon()
      // The count of System Exclusives belongs to the earlier stream.
      state.exclusives = 0
      guard case .some = checkpoint else { return (window.highest, nil) }
      // The notes of the earlier stream that still sound are not in the journal of the new stream. The repair ends them,
      // because `coversLoss` is false.
      counts.repairs &+= 1
      repairedPlace = window.highest
      return (window.highest, Loss(isSinglePacket: false, isCovered: false))
    case .late(let place):
      counts.received &+= 1
      counts.lost &-= 1
      counts.reordered &+= 1
      return (place, nil)
    case .duplicate:
      counts.duplicates &+= 1
      throw .duplicate
    case .outOfWindow:
      counts.outOfWindow &+= 1
      throw .outOfWindow
    }
  }

  /// Returns the number closest to `reference` whose lower 32 bits are `stamp`.
  @_noLocks @_noAllocation
  private func unwrap(_ stamp: UInt32, near reference: Int64) -> Int64 {
    reference &+ Int64(Int32(bitPattern: stamp &- UInt32(truncatingIfNeeded: reference)))
  }
}
