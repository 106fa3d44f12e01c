public import BasicContainers
public import MusicalTime
public import Playback
import RTPMIDI

/// The sending half of all sessions: Start, Continue, Song Position, Clock, Stop, messages, System Exclusive messages
/// and guard packets on every RTP stream.
///
/// The sender does no I/O and reads no clock. Its driver executes commands, adopts schedules, and calls ``poll(at:)``
/// with the current instant until the result is nil. The result of ``poll(at:)`` is one ``Output``: a packet to send,
/// or an event for the other outputs of the driver (sound, ALSA port, trace). The driver then waits until
/// ``nextDeadline`` or for the next command. In the engine, the driver is the clock thread, which reads the clock
/// before every call. In a simulation, the instant does not change while packets are sent.
///
/// # Priority
///
/// Packets that are due go first: ticks to play-on-arrival receivers, and the packets with which any receiver begins or
/// stops (Song Position, Start, Continue, Stop). All other packets are deferrable and are sent in this order: the
/// message in progress, ticks that leave ahead of time, guard packets. No deferrable packet is sent less than
/// ``quietTime`` before the next deadline.
///
/// If there are too many receivers for the machine, the next deadline has already passed whenever a batch of due work
/// is done. Up to ``slice`` deferrable packets are nevertheless sent after each batch, so that messages make progress.
///
/// # Offsets
///
/// A receiver can have an offset: all its clock messages are later by this time, or earlier. Receivers with one offset share a clock
/// (``OutputClock``). A time-stamp receiver gets its messages at the same instants as without an offset, with shifted time stamps. If a run
/// is replaced or cancelled, Stop is sent at once, even to receivers with a positive offset.
///
/// # Receivers that acknowledge nothing
///
/// All streams together whose receivers have acknowledged nothing for ten seconds get at most 200 kB/s, the headers of UDP and IP not
/// counted. Near the limit, System Exclusive messages are withheld first, then recovery journals, then notes and other messages of
/// players. The clock and the ends of notes are withheld last, first from the streams that were opened last. A part of the limit is
/// reserved for streams in their first five seconds. Stop is always sent, and counts. ``withheld`` and ``withheldJournals`` count what is withheld.
///
/// # Memory
///
/// A stream needs about 8 kB. ``reserve(_:)`` allocates this memory. Alternatively, another thread allocates the memory
/// of a `PacketSender`, and ``add(_:)`` adds it to the table. The functions that are marked as safe for real-time never
/// allocate.
public struct StreamSender: ~Copyable {
  /// How long before its first tick a play-on-arrival receiver gets Start or Continue. MIDI 1.0 asks for at least a
  /// millisecond.
  ///
  /// Real-time: safe.
  public static var prelude: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(10) } }
  /// The time from Start or Continue for a time-stamp receiver until the first tick for this receiver leaves. The engine announces a start
  /// at least one lead time before the first tick is due. The `tickLead` of the engine is 10 ms less than the lead time. At least 10 ms
  /// therefore pass from the announcement until the first tick leaves, and Start leaves in between.
  private static var aheadPreludeTime: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(5) } }
  /// The maximum number of deferrable packets between two batches of due work when deadlines are missed.
  ///
  /// Real-time: safe.
  public static var slice: Int { @_noLocks @_noAllocation get { 8 } }
  /// The maximum number of different offsets of receivers, not counting zero.
  ///
  /// Real-time: safe.
  public static var maximumOffsets: Int { @_noLocks @_noAllocation get { 8 } }
  /// The default of ``quietTime``.
  ///
  /// Real-time: safe.
  public static var standardQuietTime: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(200) } }
  /// The size of ``packet``: the payload of a UDP datagram in one Ethernet frame.
  static var packetCapacity: Int { @_noLocks @_noAllocation get { 1472 } }

  // MARK: Streams

  /// The streams by slot.
  var streams = RigidArray<Stream>(capacity: 0)
  /// The packet encoders by slot. They are separate from ``streams``, because a `PacketSender` cannot be copied.
  var senders = RigidArray<PacketSender>(capacity: 0)
  /// The slots of the open streams, in the order in which the streams were opened. Packets to several streams are
  /// sent in this order.
  var openSlots = RigidArray<Int>(capacity: 0)

  // MARK: Playback

  /// The schedule that is playing.
  public internal(set) var schedule = PlaybackSchedule.silence
  /// The length in steps of the pattern that is playing, 1...16384: see ``PlaybackSchedule/songPosition(of:patternLength:)``.
  public var patternLength: Int64
  /// Whether the run of ``schedule`` has replaced another run that had begun and had steps left.
  public internal(set) var cutsPreviousRunShort = false
  /// Whether ``poll(at:)`` returns `.tick`, `.begin` and `.end`. The engine needs these outputs for the trace and the ALSA ports. A
  /// simulation does not need them. Without these outputs, the sender of a follower, which sends no clock, has work only at steps.
  let reportsTicks: Bool
  /// Whether the ticks that ``poll(at:)`` returns must be in time, for example for an ALSA port or a trace.
  public var needsExactTicks = true
  /// The clock without an offset, and then a clock for each offset (`--clock-offset`).
  var clocks = RigidArray<OutputClock>(capacity: 1 + StreamSender.maximumOffsets)
  /// The clock while no rhythm plays.
  var idle = IdleClock()
  /// The cursor of ticks that leave ahead of time.
  var ahead: TickCursor
  /// The cursor of Start and Continue to time-stamp receivers.
  var aheadPrelude: TickCursor
  /// The cursor of steps for the sound.
  var steps: TickCursor
  /// The change to a new schedule that is in progress; nil if there is none.
  var adoption: Adoption?

  // MARK: Work in progress

  /// The series of due packets in progress.
  var dueSeries = DueSeries()
  /// The end of the batch in progress: the work that is due up to this instant is being done. Nil if no batch is in
  /// progress.
  var batch: Instant?
  /// The instant at which the next work is due, not counting guard packets. Valid after ``poll(at:)`` has returned nil.
  ///
  /// Real-time: safe.
  public internal(set) var nextDue = Instant.distantFuture
  /// The instant of the next work that must be done exactly on time: the work of a clock whose receivers play on arrival, or if
  /// ``needsExactTicks`` is true. Start and Continue, ticks that leave ahead of time, and steps for the sound are not such work. The distant
  /// future if there is none. Valid when ``nextDue`` is.
  ///
  /// Real-time: safe.
  public internal(set) var nextExact = Instant.distantFuture
  /// The number of deferrable packets that may still be sent before the next batch although due work waits, see
  /// ``slice``.
  var allowance = 0
  /// The stop of all streams that is in progress, if any.
  var stopRequest = StopRequest()
  /// The message in progress.
  var broadcast = Broadcast()
  /// The data of the System Exclusive message in progress.
  var exclusive = RigidArray<UInt8>(capacity: DocumentTransmission.capacity)
  /// The newest tick that is to leave ahead of time for the time-stamp receivers.
  var pendingTick = Tick(.min)
  /// Whether the ticks up to ``pendingTick`` still have to be sent to at least one time-stamp receiver.
  var hasPendingTicks = false
  /// The first stream to which ticks up to ``pendingTick`` may still have to be sent, as an index in ``openSlots``.
  var pendingIndex = 0
  /// The instant at which the next guard packet may be due.
  var guardsDue = Instant.distantFuture
  /// The next stream to examine for guard packets, as an index in ``openSlots``. Nil if all streams were examined.
  var guardIndex: Int?
  /// The limit of what is sent to receivers that acknowledge nothing.
  var budget = UnacknowledgedBudget()

  // MARK: Interface

  /// How long before the next deadline no deferrable packet is sent. Zero in a simulation, in which sending takes no
  /// time.
  public var quietTime: Nanoseconds
  /// The packet of the last `.packet` output.
  public internal(set) var packet = RigidArray<UInt8>(capacity: StreamSender.packetCapacity)
  /// Whether the last call of ``poll(at:)`` returned nil because the next deadline was near.
  public internal(set) var isQuiet = false
  /// The number of packets that were sent.
  public internal(set) var sent: Int64 = 0
  /// The number of packets that could not be sent.
  public internal(set) var unsent: Int64 = 0
  /// The number of packets that were withheld from receivers that acknowledge nothing, because they had reached their limit.
  public internal(set) var withheld: Int64 = 0
  /// The number of recovery journals and guard packets that were withheld for the same reason.
  public internal(set) var withheldJournals: Int64 = 0

  /// - Parameters:
  ///   - capacity: the number of simultaneous streams. ``reserve(_:)`` increases it.
  ///   - tickLead: how long before its due time a tick leaves for a time-stamp receiver.
  ///   - soundLead: how long before its due time a step is reported.
  ///   - patternLength: the initial value of ``patternLength``.
  ///   - reportsTicks: whether ``poll(at:)`` returns `.tick`, `.begin` and `.end`.
  ///   - quietTime: the initial value of ``quietTime``.
  ///   - offsets: the offsets that receivers can have: different values other than zero, at most ``maximumOffsets``. A positive offset is
  ///     later.
  ///
  /// Real-time: not safe.
  public init(
    capacity: Int, tickLead: Nanoseconds, soundLead: Nanoseconds, patternLength: Int64 = 16, reportsTicks: Bool,
    quietTime: Nanoseconds = StreamSender.standardQuietTime, offsets: [Nanoseconds] = []
  ) {
    self.patternLength = patternLength
    self.reportsTicks = reportsTicks
    self.quietTime = quietTime
    ahead = TickCursor(lead: tickLead)
    aheadPrelude = TickCursor(lead: tickLead + Self.aheadPreludeTime)
    steps = TickCursor(lead: soundLead, includesCountIn: true)
    for offset in [.zero] + offsets { clocks.append(OutputClock(offset: offset)) }
    reserve(capacity)
  }

  /// The index of the clock with an offset. The index of the clock without an offset if no clock has this offset.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func clock(withOffset offset: Nanoseconds) -> Int {
    for index in 0..<clocks.count where clocks[index].offset == offset { return index }
    return 0
  }

  /// How long before the due time of its step a hit can sound. After a change of the schedule, a step that is due
  /// within this time is not reported again, because its hits may have sounded already.
  public var push = Nanoseconds.zero
  /// How long before its due time a step is reported.
  ///
  /// Real-time: safe.
  public var soundLead: Nanoseconds {
    @_noLocks @_noAllocation get { steps.lead }
    @_noLocks @_noAllocation set { steps.lead = newValue }
  }

  /// The number of ticks that were skipped, because they were late by more than ``TickCursor/patience``.
  ///
  /// Real-time: safe.
  public var skipped: Int64 { @_noLocks @_noAllocation get { clocks[0].ticks.skipped } }

  /// The open streams in the order in which they were opened.
  ///
  /// Real-time: not safe.
  public var openStreams: [StreamID] { (0..<openSlots.count).map { streams[openSlots[$0]].id } }
}
