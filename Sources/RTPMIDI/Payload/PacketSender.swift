import BasicContainers
import MIDI
import MusicalTime

/// The sender of one RTP stream: numbers the packets and maintains the recovery journal. One thread owns the sender.
///
/// Each call encodes a packet with at most one command. Packets with two commands would save octets, but lose ticks,
/// because one known receiver discards the commands after a Timing Clock (F8).
///
/// If ``sendsJournal`` is true, each packet also contains a recovery journal with the commands since the checkpoint.
/// The next packet that arrives then repairs the loss of earlier packets (RFC 6295 section 4). The journal omits the
/// commands that the receiver has acknowledged (closed-loop sending policy).
public struct PacketSender: ~Copyable {
  public private(set) var ssrc: UInt32
  /// The sequence number of the next packet.
  public private(set) var sequence: UInt16
  /// The commands since the checkpoint, from which the journals are encoded.
  private var history: CheckpointHistory

  /// The header extension of every packet; nil at first. Its data are encoded as zeros. The owner of the stream
  /// overwrites them at ``HeaderExtension/dataOffset`` immediately before the packet leaves.
  ///
  /// Real-time: safe.
  public var headerExtension: HeaderExtension? {
    @_noLocks @_noAllocation get { storedExtension }
    @_noLocks @_noAllocation set { storedExtension = newValue }
  }
  /// The storage of ``headerExtension``, whose accessors are annotated for real-time code.
  private var storedExtension: HeaderExtension?

  /// Creates a stream that begins with packet `sequence`, which should be random (RFC 3550 section 5.1).
  ///
  /// - Parameter historyCapacity: the maximum number of channel commands in the checkpoint history.
  ///
  /// Real-time: not safe.
  public init(ssrc: UInt32, sequence: UInt16, historyCapacity: Int = 256) {
    (self.ssrc, self.sequence) = (ssrc, sequence)
    history = CheckpointHistory(capacity: historyCapacity)
    history.restart(at: sequence)
  }

  /// Begins a new stream in the same memory, without journal and header extension. ``usesEnhancedControllers`` keeps
  /// its value.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func restart(ssrc: UInt32, sequence: UInt16) {
    (self.ssrc, self.sequence) = (ssrc, sequence)
    history.restart(at: sequence)
    storedExtension = nil
    isJournalOmitted = false
  }

  /// Whether each packet contains a journal; false at first. The journal covers the commands that are sent after this
  /// property was set to true.
  ///
  /// Real-time: safe.
  public var sendsJournal: Bool {
    @_noLocks @_noAllocation get { history.isRecording }
    @_noLocks @_noAllocation set { history.setRecording(newValue, from: sequence) }
  }

  /// Whether the following packets lack the journal although ``sendsJournal`` is true; false at first. The journal of a later packet
  /// covers their commands too. A packet without a journal is short: ``longestBarePacket`` octets at most.
  ///
  /// Real-time: safe.
  public var omitsJournal: Bool {
    @_noLocks @_noAllocation get { isJournalOmitted }
    @_noLocks @_noAllocation set { isJournalOmitted = newValue }
  }
  /// The storage of ``omitsJournal``, whose accessors are annotated for real-time code.
  private var isJournalOmitted = false

  /// Whether the journal contains up to four commands of each controller, each with its count and its value, instead of
  /// the newest one only (enhanced encoding of Chapter C; RFC 6295, appendix A.3.3). False at first.
  ///
  /// Real-time: safe.
  public var usesEnhancedControllers: Bool {
    @_noLocks @_noAllocation get { history.isEnhanced }
    @_noLocks @_noAllocation set { history.encodeControllers(enhanced: newValue) }
  }

  /// Records that the receiver has received or repaired all packets up to `sequence`. A number that has not been sent,
  /// or that is already acknowledged, has no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func acknowledge(_ sequence: UInt16) { history.trim(acknowledged: sequence, next: self.sequence) }

  /// Whether the journal contains a command that guard packets protect and that the receiver has not acknowledged. If this
  /// is true and no commands follow, guard packets (``encodeGuard(at:into:)``) repair the loss of the last packets.
  ///
  /// Guard packets do not protect Start, Continue, Clock and Song Position while the sequencer runs, because the packet
  /// with the next Clock repairs their loss. They do not protect a System Exclusive whose data are not in the journal,
  /// because the journal cannot recover the command.
  ///
  /// Real-time: safe.
  public var hasUnacknowledged: Bool { @_noLocks @_noAllocation get { history.hasUnacknowledged } }

  /// Returns whether the packets contain a journal, and ``hasUnacknowledged`` is true.
  ///
  /// Real-time: safe.
  // Mutating, because the compiler copies the sender (288 octets) for a getter if it is an element of a container.
  @_noLocks @_noAllocation
  public mutating func needsGuardPacket() -> Bool { history.isRecording && history.hasUnacknowledged }

  /// Returns ``sendsJournal``.
  ///
  /// Real-time: safe.
  // Mutating for the same reason.
  @_noLocks @_noAllocation
  public mutating func recordsHistory() -> Bool { history.isRecording }

  /// The number of commands that were removed from the journal for lack of space before the receiver acknowledged them.
  ///
  /// Real-time: safe.
  public var discarded: UInt64 { @_noLocks @_noAllocation get { history.discarded } }

  /// Appends to `packet` an RTP packet with `message`, which takes effect at `instant` of the local clock.
  ///
  /// - Returns: false, with nothing appended and no sequence number used, if there is no room; ``longestMessagePacket``
  ///   octets are enough.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    _ message: Message, at instant: Instant, into packet: inout RigidArray<UInt8>
  ) -> Bool {
    guard packet.freeCapacity >= bareLength else { return false }
    let start = packet.count
    header(at: instant).append(to: &packet)
    // Both calls succeed, because `bareLength` octets were free.
    guard var section = CommandSectionEncoder(in: &packet), section.append(message, to: &packet) else { return false }
    guard finish(section, in: &packet, from: start) else { return false }
    history.record(message, in: sequence)
    sequence &+= 1
    return true
  }

  /// Appends to `packet` an RTP packet with as much of a System Exclusive as fits. Pass 0 for `sent` in the first call.
  /// If the result is less than `data.count`, encode the next packet with the result as `sent`.
  ///
  /// - Parameters:
  ///   - data: all data octets, without F0 and F7, each below 128.
  ///   - sent: the number of data octets in earlier packets.
  ///   - instant: the instant at which the System Exclusive takes effect, by the local clock.
  ///   - isJournalled: whether the journal contains the data, if they are not too long. The journal can then repair the
  ///     loss of the message. Messages that are repeated anyway need no such repair.
  /// - Returns: the number of data octets sent so far. Nil, with nothing appended and no sequence number used, if there
  ///   is no room, if an octet is 128 or more, or if nothing is left to send.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func encode(
    systemExclusive data: borrowing RigidArray<UInt8>, from sent: Int = 0, at instant: Instant,
    isJournalled: Bool = true, into packet: inout RigidArray<UInt8>
  ) -> Int? {
    let start = packet.count
    guard packet.freeCapacity > headerLength else { return nil }
    // The number of octets of `packet` that the System Exclusive must leave free.
    var reserve = 0
    if sendsJournal, !isJournalOmitted {
      // The journal is encoded first, only to determine its length. At least 64 octets are left for the System
      // Exclusive. `longest` is the maximum length of the whole packet.
      let longest = min(packet.freeCapacity, Self.longestMessagePacket)
      guard history.appendJournal(of: sequence, to: &packet, room: longest - bareLength - 64) else {
        return nil
      }
      let journalLength = packet.count - start
      packet.removeLast(journalLength)
      // The octets beyond `longest`, and those of the journal.
      reserve = packet.freeCapacity - longest + journalLength
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

  /// Appends a guard packet to `packet`: an RTP packet without a command. Its journal repairs the loss of the packets
  /// before it if no other packet follows them (RFC 4696 section 4.2).
  ///
  /// - Parameter instant: the time stamp of the packet, by the local clock.
  /// - Returns: false, with nothing appended and no sequence number used, if there is no room; ``longestMessagePacket``
  ///   octets are enough.
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

  /// The length of the RTP header with its extension, in octets.
  private var headerLength: Int {
    @_noLocks @_noAllocation get {
      guard let storedExtension else { return RTPHeader.length }
      return RTPHeader.length + storedExtension.length
    }
  }

  /// The length of the longest packet with one message and without a journal, in octets.
  private var bareLength: Int {
    @_noLocks @_noAllocation get { Self.longestBarePacket - RTPHeader.length + headerLength }
  }

  /// Completes the packet that begins at `start`, with its journal if the stream has one. Returns false, with the
  /// packet removed, if there is no room for the journal.
  @_noLocks @_noAllocation
  private mutating func finish(
    _ section: CommandSectionEncoder, in packet: inout RigidArray<UInt8>, from start: Int
  ) -> Bool {
    section.finish(in: &packet, hasJournal: sendsJournal && !isJournalOmitted)
    guard sendsJournal, !isJournalOmitted else { return true }
    let room = Self.longestMessagePacket - (packet.count - start)
    if history.appendJournal(of: sequence, to: &packet, room: room) { return true }
    packet.removeLast(packet.count - start)
    return false
  }

  /// The maximum length of a packet with one message and a journal, in octets. Such a packet fits into an Ethernet
  /// frame. If there is less room, the journal is shortened.
  ///
  /// Real-time: safe.
  public static var longestMessagePacket: Int { @_noLocks @_noAllocation get { 1400 } }

  /// The length of the longest packet with one message and without journal and header extension, in octets: header,
  /// header of the command section, and three octets of command.
  ///
  /// Real-time: safe.
  public static var longestBarePacket: Int { @_noLocks @_noAllocation get { RTPHeader.length + 1 + 3 } }
}
