import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// The state of one session in a ``Receiver``.
struct SessionReceiver: ~Copyable {
  /// The session that uses the slot, or that used it last.
  private(set) var session = SessionID(number: 0)
  /// Whether ``session`` has begun and has not ended.
  private(set) var isOpen = false
  private(set) var source = StreamSource(ssrc: 0, address: SocketAddress(host: 0, port: 0), localSSRC: 0)
  /// The receiver of the RTP stream.
  var stream = PacketReceiver(ssrc: 0, systemExclusiveCapacity: Endpoint.systemExclusiveCapacity)

  /// Real-time: not safe.
  /// The admitted kinds of messages, and how loud the notes sound.
  var admission = Admission()
  /// The notes and pedals that the peer holds at the local peer.
  var held = HeldNotes()
  /// The notes of ``held`` that sound.
  var heard = HeldNotes()
  /// Limits the messages of the peer that sound at the local peer. Each peer has its own limit, so that a flood from one peer does not silence
  /// the others.
  var limit = InputLimit()
  /// The time stamp and the arrival of the newest value that waits in ``limit``.
  private(set) var waiting = (stamp: Instant(nanoseconds: 0), arrival: Instant(nanoseconds: 0))

  /// The arrival of the newest packet, if the peer has sent Active Sensing; otherwise nil.
  var sensed: Instant?
  /// Whether the notes and pedals of ``held`` are being ended, because Active Sensing has stopped.
  var endsHeld = false
  /// A peer that has sent Active Sensing promises a message every 300 ms (MIDI 1.0). On a network, up to three of them may be lost.
  static var sensingPatience: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(1200) } }

  /// Whether something of this session is due later, without a message of its peer.
  var hasWork: Bool {
    @_noLocks @_noAllocation get {
      if endsHeld || limit.hasWork { return true }
      if case .some = sensed { return true }
      return false
    }
  }

  /// When the next of these things is due; the distant future if there is none.
  var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      if endsHeld { return Instant(nanoseconds: .min) }
      guard case .some(let sensed) = sensed else { return limit.nextDeadline }
      let end = sensed + Self.sensingPatience
      return end < limit.nextDeadline ? end : limit.nextDeadline
    }
  }

  /// The clock of the peer minus the local clock; nil if it is not known.
  var clockOffset: Nanoseconds?
  /// The latest instant at which a message that was passed to the sound in advance takes effect; nil if there was no such message.
  private(set) var lastInstant: Instant?
  /// The longest time that a message may wait for its instant: longer than a quarter note at the slowest tempo.
  private static var longestWait: Nanoseconds { @_noLocks @_noAllocation get { .seconds(4) } }
  /// A message whose instant is at most this time after its arrival takes effect at once. The limit is greater than
  /// the error of time stamps and clocks.
  private static var shortestWait: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(2) } }

  /// Checks the tags of the peer; nil without a passkey.
  var opener: DatagramOpener?
  /// Writes the tags of the replies that the network thread sends; nil without a passkey.
  var sealer: DatagramSealer?

  /// Prepares for the stream of a new session.
  @_noLocks @_noAllocation
  mutating func open(
    _ session: SessionID, _ source: StreamSource, _ admission: Admission, _ keys: SessionKeys?
  ) {
    (opener, sealer) = (nil, nil)
    if let keys { (opener, sealer) = (DatagramOpener(keys), DatagramSealer(keys, thread: .network)) }
    (self.session, isOpen, self.source, self.admission) = (session, true, source, admission)
    (held, heard) = (HeldNotes(), HeldNotes())
    limit.reset()
    (sensed, endsHeld) = (nil, false)
    (clockOffset, lastInstant) = (nil, nil)
    stream.restart(ssrc: source.ssrc)
  }

  /// Whether the slot belongs to `id`.
  @_noLocks @_noAllocation
  func belongs(to id: SessionID) -> Bool { isOpen && session.number == id.number }

  @_noLocks @_noAllocation
  mutating func close() { isOpen = false }

  /// Returns the local instant of a time stamp. Nil if the message takes effect at once: the clock of the peer is not
  /// known, or the instant is at most 2 ms or more than 4 s after `arrival`. Only the lower 32 bits of the number of
  /// 100 us in `stamp` are used. A time stamp stands for an interval of 100 us, and the result is the middle of the
  /// interval.
  @_noLocks @_noAllocation
  func instant(of stamp: Instant, arrivedAt arrival: Instant) -> Instant? {
    guard let clockOffset else { return nil }
    let reference = (arrival + clockOffset).hundredMicroseconds
    let distance = Int64(Int32(truncatingIfNeeded: stamp.hundredMicroseconds &- reference))
    let instant = Instant(hundredMicroseconds: reference &+ distance) - clockOffset + .microseconds(50)
    let wait = instant - arrival
    return wait > Self.shortestWait && wait <= Self.longestWait ? instant : nil
  }

  /// Records that a message was passed to the sound in advance. The message takes effect at `instant`.
  @_noLocks @_noAllocation
  mutating func passed(_ instant: Instant) {
    if let lastInstant, lastInstant > instant { return }
    lastInstant = instant
  }

  /// Whether `message` reports activity of a Tutti peer, and does not change the sound (``Admission/isTuttiPeer``).
  @_noLocks @_noAllocation
  func reportsActivity(_ message: Message) -> Bool { admission.isTuttiPeer && message.reportsActivity }

  /// Returns whether a message of the peer takes effect at `now`: its gate is open, and ``limit`` admits it. A message that ends a note or
  /// lifts a pedal of ``held``, or that silences a channel on which a note was played, is always admitted. Returns nil if the gate is closed, or
  /// if the message does not sound.
  @_noLocks @_noAllocation
  mutating func verdict(
    on message: Message, stamp: Instant, arrival: Instant, at now: Instant
  ) -> InputLimit.Verdict? {
    guard message.isOfChannel, !reportsActivity(message) else { return nil }
    if !held.ends(with: message) {
      var isGateOpen = admission.modification
      if case .some = message.key { isGateOpen = admission.notes }
      guard isGateOpen else { return nil }
      let verdict = limit.admit(message, at: now)
      if case .waiting = verdict { waiting = (stamp, arrival) }
      guard case .admitted = verdict else { return verdict }
    }
    held.record(message)
    return .admitted
  }

  /// Returns how an admitted message sounds. The end of a note of ``heard`` is always passed to the sound.
  @_noLocks @_noAllocation
  mutating func sound(of message: Message) -> Hearing.Sound {
    guard case .some = message.key else {
      if message.endsAllNotes { heard.record(message) }
      return .unchanged
    }
    if message.silencesNote {
      let ends = heard.ends(with: message)
      heard.record(message)
      return ends || admission.isHeard(message) ? .unchanged : .nothing
    }
    let sound = admission.hearing.sound(of: message)
    guard admission.isHeard(message) else { return .nothing }
    heard.record(message)
    return sound
  }
}

/// Memory for eight sessions of a ``Receiver``, about 100 kB.
public struct SessionBlock: ~Copyable {
  /// The number of slots in a block. A slot is the memory of one session.
  ///
  /// Real-time: safe.
  public static var slots: Int { @_noLocks @_noAllocation get { 8 } }
  /// The maximum number of blocks of a receiver.
  ///
  /// Real-time: safe.
  public static var limit: Int { @_noLocks @_noAllocation get { 256 } }

  /// The place of a slot.
  struct Place: BitwiseCopyable {
    /// The index of the block.
    let block: Int
    /// The index in the block.
    let index: Int

    @_noLocks @_noAllocation
    init(slot: Int) { (block, index) = (slot / SessionBlock.slots, slot % SessionBlock.slots) }
  }

  var sessions = RigidArray<SessionReceiver>(capacity: SessionBlock.slots)

  /// Real-time: not safe.
  public init() { self.init(slots: Self.slots) }

  /// - Parameter slots: the number of sessions that have memory, at most ``slots``.
  init(slots: Int) { while sessions.count < slots { sessions.append(SessionReceiver()) } }
}

/// A table of the sources of all sessions, sorted by SSRC. Each entry contains the place of the session in the memory
/// of the receiver.
struct SourceTable: ~Copyable {
  private struct Entry: BitwiseCopyable {
    let source: StreamSource
    let place: SessionBlock.Place
  }

  private var entries: RigidArray<Entry>

  /// - Parameter capacity: the maximum number of sources.
  init(capacity: Int) { entries = RigidArray(capacity: capacity) }

  /// Makes room for `capacity` sources. Allocates memory.
  mutating func reserve(_ capacity: Int) {
    if entries.capacity < capacity { entries.reallocate(capacity: capacity) }
  }

  /// Inserts a source, if there is room.
  @_noLocks @_noAllocation
  mutating func insert(_ source: StreamSource, at place: SessionBlock.Place) {
    guard entries.count < entries.capacity else { return }
    entries.insert(Entry(source: source, place: place), at: firstIndex(from: source.ssrc))
  }

  /// Removes the source of the session at a place.
  @_noLocks @_noAllocation
  mutating func remove(_ place: SessionBlock.Place, of ssrc: UInt32) {
    var index = firstIndex(from: ssrc)
    while index < entries.count, entries[index].source.ssrc == ssrc {
      if entries[index].place.block == place.block, entries[index].place.index == place.index {
        _ = entries.remove(at: index)
        return
      }
      index += 1
    }
  }

  /// The place of the session with the peer that has this SSRC and this address of its data port; nil if there is none.
  /// If there are several, the place of the newest session.
  @_noLocks @_noAllocation
  func place(of ssrc: UInt32, at address: SocketAddress) -> SessionBlock.Place? {
    guard let index = index(of: ssrc, at: address) else { return nil }
    return entries[index].place
  }

  /// The SSRC of the local peer in the session with this source; nil if there is no such session.
  @_noLocks @_noAllocation
  func localSSRC(for ssrc: UInt32, at address: SocketAddress) -> UInt32? {
    guard let index = index(of: ssrc, at: address) else { return nil }
    return entries[index].source.localSSRC
  }

  /// Whether a peer with this SSRC on the host of `address` is in session. The port is not compared, because a peer also sends from its
  /// control port.
  @_noLocks @_noAllocation
  func contains(_ ssrc: UInt32, onHostOf address: SocketAddress) -> Bool {
    if case .some = place(of: ssrc, onHostOf: address) { return true }
    return false
  }

  /// The place of the session with a peer that has this SSRC, on the host of `address`; nil if there is none.
  @_noLocks @_noAllocation
  func place(of ssrc: UInt32, onHostOf address: SocketAddress) -> SessionBlock.Place? {
    var index = firstIndex(from: ssrc)
    while index < entries.count, entries[index].source.ssrc == ssrc {
      if entries[index].source.address.isSameHost(as: address) { return entries[index].place }
      index += 1
    }
    return nil
  }

  /// The index of the newest entry with this SSRC and address; nil if there is none. The search is linear, because few
  /// sources have the same SSRC. Of the sources with one SSRC, the newest comes first.
  @_noLocks @_noAllocation
  private func index(of ssrc: UInt32, at address: SocketAddress) -> Int? {
    var index = firstIndex(from: ssrc)
    while index < entries.count {
      let source = entries[index].source
      if source.ssrc != ssrc { return nil }
      if source.address == address { return index }
      index += 1
    }
    return nil
  }

  /// The index of the first source whose SSRC is not less than `ssrc`. Binary search.
  @_noLocks @_noAllocation
  private func firstIndex(from ssrc: UInt32) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].source.ssrc < ssrc { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
