import BasicContainers
import MIDI
import MusicalTime

/// The receiving half of one RTP stream: from its packets, the messages that may reach the music.
///
/// ``open(_:near:)`` takes a packet, then ``next(in:)`` gives its commands one by one: take them all before the next
/// packet. A packet received before, or too old to tell, throws, and so does one with a fault anywhere in its commands
/// or its journal: a replay or a forgery does not reach the music, and of a damaged packet nothing does.
///
/// The first packet of a stream, and one before which numbers were left out, is read with its recovery journal, if it
/// has one: what was lost comes first, as ``Event/recovered(_:_:)``, then the packet's own commands. A packet that comes
/// after it has been made good is held back whole.
///
/// Without a journal, what is lost stays lost, and of a packet that is new but overtaken by a later one, only what is
/// right in any order is given: Timing Clocks, which a follower counts, if no Start, Continue, Stop or Song Position has
/// come since; and the ends of notes, since a silence too many heals and a note too many sounds on. The rest is held
/// back and counted: an older controller value or Stop must not undo a newer one.
public struct PacketReceiver: ~Copyable {
  public enum Event: Hashable, Sendable, BitwiseCopyable {
    /// A message, and when it counts by the sender's clock, in whole units of 100 us.
    case message(Message, Instant)
    /// A message that puts right what has been lost, and the time stamp of the packet whose journal told it. A Clock
    /// among them makes the count of ticks right, and says nothing about time.
    case recovered(Message, Instant)
    /// A System Exclusive is complete; the instant is that of its last piece, or of the packet whose journal told it.
    case systemExclusive(Instant)
  }

  public let ssrc: UInt32
  var counts = ReceptionStatistics()
  var window = SequenceWindow()
  var assembly: SystemExclusiveAssembly
  var state = ReceivedState()
  private var repair = JournalRepair()
  /// Octets of the newest packet's recovery journal; nil when it had none.
  ///
  /// Real-time: safe.
  public private(set) var journalLength: Int?
  /// Numbers before this place have come or been made good.
  private var repairedPlace: Int64 = -1
  private var commands: CommandCursor?
  /// How many commands the packet last opened has, given or held back; a guard packet has none.
  ///
  /// Real-time: safe.
  public private(set) var commandCount = 0
  /// When the open packet counts.
  private var stamp = Int64(0)
  /// The open packet's place in the stream, if others have overtaken it.
  var latePlace: Int64?
  /// The place of the last packet with a Start, Continue, Stop or Song Position.
  var transportPlace: Int64 = -1

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

  /// Whether the newest packet had a recovery journal.
  ///
  /// Real-time: safe.
  public var hasJournal: Bool {
    @_noLocks @_noAllocation get {
      if case .some = journalLength { true } else { false }
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
    repair.end()
    let (header, payload) = try RTPHeader.decode(packet)
    guard header.ssrc == ssrc else { throw .otherSource }
    // All of it is read before the packet takes its place in the stream: a damaged one takes none, so that its original
    // can still come.
    let cursor = try CommandCursor(packet, payload: payload)
    let count: Int
    do { count = try cursor.count(in: packet) } catch {
      counts.malformed &+= 1
      throw error
    }
    var journal: JournalCursor?
    if let extent = cursor.journal {
      do {
        let read = try JournalCursor(packet, in: extent)
        try read.check(in: packet)
        journal = read
      } catch {
        counts.malformedJournals &+= 1
        throw error
      }
    }
    let place = try admit(header.sequence, journal)
    commandCount = count
    if place < window.highest {
      latePlace = place
      if place < repairedPlace {
        counts.heldBack &+= UInt64(count)
        return
      }
    } else {
      latePlace = nil
      if let extent = cursor.journal { journalLength = extent.count } else { journalLength = nil }
    }
    stamp = unwrap(header.timestamp, near: reference.hundredMicroseconds)
    commands = cursor
  }

  /// The next event of the packet last opened, or nil after its last.
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
    while let command = try? cursor.next(in: packet) {
      guard let event = event(of: command, at: Instant(hundredMicroseconds: stamp &+ cursor.time), in: packet) else {
        continue
      }
      commands = cursor
      return event
    }
    commands = nil
    return nil
  }

  /// Gives the packet its place in the stream. If others are missing before it, or it is the first, the repair of them
  /// begins.
  @_noLocks @_noAllocation
  private mutating func admit(_ sequence: UInt16, _ journal: JournalCursor?) throws(PacketError) -> Int64 {
    let isFirst = window.highest < 0
    let expected = window.sequence &+ 1
    switch window.admit(sequence) {
    case .next(let lost):
      counts.received &+= 1
      counts.lost &+= lost
      guard let journal else {
        if lost > 0 { assembly.abandon() }
        return window.highest
      }
      guard isFirst || lost > 0 else { return window.highest }
      let isCovered = isFirst ? true : Int16(bitPattern: journal.header.checkpoint &- expected) <= 0
      if lost > 0 { counts.repairs &+= 1 }
      if !isCovered {
        counts.uncovered &+= 1
        assembly.abandon()
      }
      repair.begin(journal, isSingle: lost == 1, isCovered: isCovered)
      repairedPlace = window.highest
      return window.highest
    case .restarted:
      counts.received &+= 1
      assembly.abandon()
      // The other stream's are not this one's.
      state.exclusives = 0
      guard let journal else { return window.highest }
      // What the other stream has left sounding is not in this one's journal.
      counts.repairs &+= 1
      repair.begin(journal, isSingle: false, isCovered: false)
      repairedPlace = window.highest
      return window.highest
    case .late(let place):
      counts.received &+= 1
      counts.lost &-= 1
      counts.reordered &+= 1
      return place
    case .duplicate:
      counts.duplicates &+= 1
      throw .duplicate
    case .outOfWindow:
      counts.outOfWindow &+= 1
      throw .outOfWindow
    }
  }

  /// The count whose low 32 bits are `stamp`, nearest to `reference`.
  @_noLocks @_noAllocation
  private func unwrap(_ stamp: UInt32, near reference: Int64) -> Int64 {
    reference &+ Int64(Int32(bitPattern: stamp &- UInt32(truncatingIfNeeded: reference)))
  }
}
