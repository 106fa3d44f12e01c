import BasicContainers
import MIDI
import MusicalTime

/// The sending half of one RTP stream: it numbers the packets, and keeps the recovery journal. One thread owns it.
///
/// Each call makes one packet of one command. A packet with two would save octets and lose ticks: a receiver in the
/// field swallows what follows an F8. With ``sendsJournal`` each packet also tells what has been said since the
/// checkpoint, so that a receiver that has lost packets has what it needs in the next one (RFC 6295 section 4). What the
/// receiver acknowledges is told no more: the closed-loop sending policy.
public struct PacketSender: ~Copyable {
  public private(set) var ssrc: UInt32
  /// The sequence number of the next packet.
  public private(set) var sequence: UInt16
  private var history: CheckpointHistory

  /// The header extension of every packet; nil at first. The sender appends it with data of zeros. The owner overwrites the
  /// data at ``HeaderExtension/dataOffset`` immediately before the packet leaves.
  ///
  /// Real-time: safe.
  public var headerExtension: HeaderExtension? {
    @_noLocks @_noAllocation get { storedExtension }
    @_noLocks @_noAllocation set { storedExtension = newValue }
  }
  private var storedExtension: HeaderExtension?

  /// A stream that begins with packet `sequence`, which should be random (RFC 3550 section 5.1).
  ///
  /// - Parameter historyCapacity: how many things said of notes, controllers and the like the journal remembers at most.
  ///
  /// Real-time: not safe.
  public init(ssrc: UInt32, sequence: UInt16, historyCapacity: Int = 256) {
    (self.ssrc, self.sequence) = (ssrc, sequence)
    history = CheckpointHistory(capacity: historyCapacity)
    history.restart(at: sequence)
  }

  /// Begins a new stream in the same memory, without journal and header extension.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func restart(ssrc: UInt32, sequence: UInt16) {
    (self.ssrc, self.sequence) = (ssrc, sequence)
    history.restart(at: sequence)
    storedExtension = nil
  }

  /// Whether every packet bears a journal; at first not. Turned on, it covers what is sent from then on.
  ///
  /// Real-time: safe.
  public var sendsJournal: Bool {
    @_noLocks @_noAllocation get { history.isRecording }
    @_noLocks @_noAllocation set { history.record(newValue, from: sequence) }
  }

  /// Whether the journal tells up to four commands of a controller, each by number and value, instead of the newest
  /// (RFC 6295, appendix A.3.3); at first not.
  ///
  /// Real-time: safe.
  public var usesEnhancedControllers: Bool {
    @_noLocks @_noAllocation get { history.isEnhanced }
    @_noLocks @_noAllocation set { history.encodeControllers(enhanced: newValue) }
  }

  /// The receiver has, or has repaired, all packets up to `sequence`. A number that has not been sent, or has been
  /// acknowledged already, changes nothing.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func acknowledge(_ sequence: UInt16) { history.trim(acknowledged: sequence, next: self.sequence) }

  /// Whether anything has been said that the receiver has not acknowledged. While so, and nothing else is sent, a
  /// packet of ``encodeGuard(at:into:)`` now and then repairs the loss of the last one.
  ///
  /// Real-time: safe.
  public var hasUnacknowledged: Bool { @_noLocks @_noAllocation get { history.hasUnacknowledged } }

  /// How many things said were dropped from the journal, since there was no room, before the receiver acknowledged them.
  ///
  /// Real-time: safe.
  public var discarded: UInt64 { @_noLocks @_noAllocation get { history.discarded } }

  /// Appends to `packet` one that says: `message` counts at `instant` of this peer's clock.
  ///
  /// - Returns: false, with nothing appended and no number used, when there is no room; ``longestMessagePacket`` octets are
  ///   enough.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    _ message: Message, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard packet.freeCapacity >= bareLength else { return false }
    let start = packet.count
    header(at: instant).append(to: &packet)
    guard var section = CommandSectionEncoder(in: &packet), section.append(message, to: &packet) else { return false }
    guard finish(section, in: &packet, from: start) else { return false }
    history.record(message, in: sequence)
    sequence &+= 1
    return true
  }

  /// Appends to `packet` one that holds as much of a System Exclusive as fits. Begin with `sent` 0; while the result is
  /// less than `data.count`, go on from it with the next packet.
  ///
  /// - Parameters:
  ///   - data: all data octets, without F0 and F7, each below 128.
  ///   - sent: how many of them earlier packets hold.
  ///   - isJournalled: whether the journal repairs it, if it is not too long. One that is said again anyhow need not be.
  /// - Returns: how many are sent now. Nil, with nothing appended and no number used, when there is no room, when an octet
  ///   is 128 or more, or when nothing is left to send.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    systemExclusive data: borrowing RigidArray<UInt8>, from sent: Int = 0, at instant: Instant,
    isJournalled: Bool = true, into packet: inout RigidArray<UInt8>
  ) -> Int? {
    let start = packet.count
    guard packet.freeCapacity > headerLength else { return nil }
    var reserve = 0
    if sendsJournal {
      // The journal first, to see how long it is. At least a piece of 64 octets goes with it.
      let most = min(packet.freeCapacity, Self.longestMessagePacket)
      guard history.appendJournal(of: sequence, to: &packet, room: most - bareLength - 64) else {
        return nil
      }
      let journal = packet.count - start
      packet.removeLast(journal)
      reserve = packet.freeCapacity - most + journal
    }
    header(at: instant).append(to: &packet)
    if var section = CommandSectionEncoder(in: &packet),
      let count = section.append(systemExclusive: data, from: sent, leaving: reserve, to: &packet),
      finish(section, in: &packet, from: start)
    {
      history.record(systemExclusive: data, from: sent, to: count, isKept: isJournalled, in: sequence)
      sequence &+= 1
      return count
    }
    packet.removeLast(packet.count - start)
    return nil
  }

  /// Appends to `packet` one without a command. Its journal repairs the loss of the packets before it when no other
  /// follows them (RFC 4696 section 4.2).
  ///
  /// - Returns: false, with nothing appended and no number used, when there is no room; ``longestMessagePacket`` octets are
  ///   enough.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encodeGuard(at instant: Instant, into packet: inout RigidArray<UInt8>) -> Bool {
    guard packet.freeCapacity >= bareLength else { return false }
    let start = packet.count
    header(at: instant).append(to: &packet)
    guard let section = CommandSectionEncoder(in: &packet), finish(section, in: &packet, from: start) else {
      return false
    }
    sequence &+= 1
    return true
  }

  @_noLocks @_noAllocation
  private func header(at instant: Instant) -> RTPHeader {
    RTPHeader(
      sequence: sequence, timestamp: RTPHeader.timestamp(of: instant), ssrc: ssrc, headerExtension: storedExtension)
  }

  private var headerLength: Int {
    @_noLocks @_noAllocation get {
      guard let storedExtension else { return RTPHeader.length }
      return RTPHeader.length + storedExtension.length
    }
  }

  /// Octets of the longest packet of one message without a journal.
  private var bareLength: Int {
    @_noLocks @_noAllocation get { Self.longestBarePacket - RTPHeader.length + headerLength }
  }

  /// Completes a packet that begins at `start` by its journal, if it bears one; else takes it back.
  @_noLocks @_noAllocation
  private mutating func finish(
    _ section: CommandSectionEncoder, in packet: inout RigidArray<UInt8>, from start: Int
  ) -> Bool {
    section.finish(in: &packet, hasJournal: sendsJournal)
    guard sendsJournal else { return true }
    let room = Self.longestMessagePacket - (packet.count - start)
    if history.appendJournal(of: sequence, to: &packet, room: room) { return true }
    packet.removeLast(packet.count - start)
    return false
  }

  /// Octets of the longest packet of one message: with its journal it fits an Ethernet frame. With less room than this
  /// the journal is cut.
  ///
  /// Real-time: safe.
  public static var longestMessagePacket: Int { @_noLocks @_noAllocation get { 1400 } }

  /// Octets of the longest packet of one message without journal and header extension: header, section header, three octets
  /// of command.
  ///
  /// Real-time: safe.
  public static var longestBarePacket: Int { @_noLocks @_noAllocation get { RTPHeader.length + 1 + 3 } }
}
