import BasicContainers
import MIDI
public import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending

/// The receiving half of all sessions: finds the session of a packet, decodes the packet, repairs losses, and answers
/// clock requests.
///
/// The receiver also decides which messages sound, and how loud. It contains the gates (``Admission``), the limit
/// (``InputLimit``) and the held notes of each session, so that Note On and Note Off take the same path. For the
/// same reason, the messages of the local player pass through the receiver.
///
/// The receiver does no I/O and reads no clock. Its driver is the network thread in the engine, and the virtual peer in
/// a simulation. The driver
///
/// - passes each datagram to ``authenticate(_:_:from:port:)`` first,
/// - passes each RTP packet that arrives at the data port to ``receive(_:from:at:)``, and calls ``next(in:)`` until the
///   result is nil,
/// - executes each command of the control thread, calls ``next()`` until the result is nil, and then receives the
///   packets of ``takeEarlyPacket(at:)``,
/// - at ``nextTimedDeadline``, calls ``nextTimed(at:)`` until the result is nil.
///
/// # Memory
///
/// A session needs about 12 kB. Another thread allocates this memory as a ``SessionBlock``, and the driver adds it with
/// ``add(_:)`` before a session needs it. No function of the receiver allocates.
public struct Receiver: ~Copyable {
  /// The memory of the sessions. A slot is the memory of one session; slot s is in block s / ``SessionBlock/slots``. The commands contain
  /// the slot number of their session.
  var blocks = RigidArray<SessionBlock>(capacity: SessionBlock.limit)
  var sources: SourceTable
  var early = EarlyPackets()
  /// The source of the session that the last `open` command opened. Nil after all its early packets were taken.
  private var opened: StreamSource?
  /// The place in ``blocks`` of the session whose packet is being read; nil if no packet is being read.
  var place: SessionBlock.Place?
  /// The arrival of the packet that is being read.
  var arrival = Instant(nanoseconds: 0)
  /// The time stamp of the lost packets before the packet that is being read, from the announcements in this packet
  /// (``PeerProtocol/AnnouncedPackets``). Nil if no lost packet is announced, or if their time stamps differ.
  var recoveredStamp: Instant?
  /// The messages that have arrived before the instants at which they take effect.
  var timed = TimedMessages()
  /// The place of the session whose timed message is being passed on; nil if there is none.
  var timedPlace: SessionBlock.Place?
  /// How early a message is passed to the sound: the time before the instant at which the message takes effect.
  ///
  /// Real-time: safe.
  public var soundLead = Nanoseconds.zero
  /// The instant at which the last returned output takes effect. If it is nil or has passed, the output takes effect at
  /// once.
  ///
  /// Real-time: safe.
  public internal(set) var instant: Instant?
  /// The number of messages of remote peers and of the local player that were dropped, because there were too many (``InputLimit``), or
  /// because the local player has left.
  ///
  /// Real-time: safe.
  public var refused: Int64 { @_noLocks @_noAllocation get { refusedOfSessions + player.refused } }
  /// The number of messages that the limits of all sessions have dropped.
  var refusedOfSessions: Int64 = 0
  /// The sessions with something that is due later: see ``SessionReceiver/hasWork``.
  var waiting: RigidArray<SessionBlock.Place>
  /// The next outputs that are already determined.
  var pending = OutputQueue()
  /// The slots whose held notes are being ended: from ``releasing`` up to, but not including, ``releaseEnd``.
  private var releasing = 0
  private var releaseEnd = 0
  /// The place of a session whose sounding notes are being ended, because its notes must not sound any longer. Nil if
  /// there is none.
  private var silencing: SessionBlock.Place?
  /// The messages of the local player.
  var player = LocalPlayer()
  /// The delivery of the local player that is in progress.
  var delivery: PlayerDelivery?
  /// The channel of the local player; nil if the player has none.
  ///
  /// Real-time: safe.
  public internal(set) var localChannel: Channel?
  /// The channels of pages and devices whose notes set the pitches of the local player's instrument.
  private var pitchChannels: UInt16 = 0
  /// The notes that are being ended *as played*, that is, on their input channels, at the peer of a stream: see
  /// ``ReceivingCommand/endNotesAsPlayed(_:)``.
  var endsAsPlayed: (held: HeldNotes, stream: StreamID?) = (HeldNotes(), nil)
  /// The identity of the local peer.
  let identity: UInt64
  /// Whether the local peer has a passkey.
  let hasPasskey: Bool
  /// Whether a session with keys was ever opened. Without such a session, no datagram has a tag.
  private(set) var hasKeys = false
  /// The rate limit in the replies to clock probes.
  var probeRateLimit: UInt16 = 0

  /// Creates a receiver without memory for sessions.
  ///
  /// - Parameters:
  ///   - identity: the identity of the local peer, which the replies to clock probes contain.
  ///   - hasPasskey: whether the local peer has a passkey. Clock probes are then answered only in sessions with keys.
  ///   - sessions: the number of sessions for which the tables have room. ``addSession()`` enlarges the tables, ``add(_:)`` does not.
  ///
  /// Real-time: not safe.
  public init(
    identity: UInt64, hasPasskey: Bool = false, sessions: Int = SessionBlock.limit * SessionBlock.slots
  ) {
    (self.identity, self.hasPasskey) = (identity, hasPasskey)
    sources = SourceTable(capacity: sessions)
    waiting = RigidArray(capacity: sessions)
  }

  /// The number of slots that can be used.
  ///
  /// Real-time: safe.
  public private(set) var capacity = 0

  /// Adds memory for eight sessions. A receiver has at most ``SessionBlock/limit`` blocks.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ block: consuming SessionBlock) {
    blocks.append(block)
    capacity += SessionBlock.slots
  }

  /// Adds memory for one session. A receiver of a simulation grows only in this way, because most of thousand peers have few sessions.
  ///
  /// Real-time: not safe.
  public mutating func addSession() {
    if capacity % SessionBlock.slots == 0 {
      blocks.append(SessionBlock(slots: 0))
      let sessions = capacity + SessionBlock.slots
      sources.reserve(sessions)
      if waiting.capacity < sessions { waiting.reallocate(capacity: sessions) }
    }
    blocks[blocks.count - 1].sessions.append(SessionReceiver())
    capacity += 1
  }

  /// Executes a command. ``next()`` returns the outputs of the command. A command for a session that is not open has no effect.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func execute(_ command: ReceivingCommand) {
    instant = nil
    switch command {
    case .open(let slot, let session, let source, let admission, let keys):
      guard slot < capacity else { return }
      let place = SessionBlock.Place(slot: slot)
      blocks[place.block].sessions[place.index].open(session, source, admission, keys)
      sources.insert(source, at: place)
      if case .some = keys { hasKeys = true }
      opened = source
    case .admit(let slot, let session, let admission):
      guard let place = place(of: session, in: slot) else { return }
      blocks[place.block].sessions[place.index].admission = admission
      if !admission.isHeard { silencing = place }
    case .clock(let slot, let session, let offset):
      guard let place = place(of: session, in: slot) else { return }
      blocks[place.block].sessions[place.index].clockOffset = offset
    case .sound(let slot, let session, let message):
      guard let place = place(of: session, in: slot) else { return }
      blocks[place.block].sessions[place.index].held.record(message)
      pending.append(.sound(message, from: session))
    case .close(let slot, let session):
      guard let place = place(of: session, in: slot) else { return }
      sources.remove(place, of: blocks[place.block].sessions[place.index].source.ssrc)
      blocks[place.block].sessions[place.index].close()
      timed.removeAll(of: session)
      removeWaiting(place)
      (releasing, releaseEnd) = (slot, slot + 1)
    case .play(let message): player.play(message)
    case .playForPage(let message):
      player.play(message, isOfPage: true)
      if message.isOnChannel(of: pitchChannels) { pending.append(.localPitch(message)) }
    case .pitchChannels(let channels): pitchChannels = channels
    case .soundForPlayer(let message): pending.append(.sound(message, from: nil))
    case .route(let channel, let route): player.routes[Int(channel.wire)] = route
    case .localChannel(let channel): localChannel = channel
    case .endNotesAsPlayed(let stream): endsAsPlayed = (player.asPlayed, stream)
    case .mute(let isMuted): player.mute(isMuted)
    case .endNotes(let slot, let session):
      if case .some = place(of: session, in: slot) { (releasing, releaseEnd) = (slot, slot + 1) }
    case .releaseNotes:
      player.releaseAll()
      timed.removeAll()
      (releasing, releaseEnd) = (0, capacity)
    case .limitProbes(let limit): probeRateLimit = limit
    }
  }

  /// Returns the next output of the last command, or of the last message of the local player; nil after the last one.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next() -> Output? {
    if let output = pending.removeFirst() { return output }
    instant = nil
    if let output = nextOfPlayer() { return output }
    // A note may have been passed to the sound before its instant. The end takes effect at ``SessionReceiver/lastInstant``, and
    // therefore not before the beginning of the note.
    if let place = silencing {
      if let message = blocks[place.block].sessions[place.index].heard.releaseNext() {
        instant = blocks[place.block].sessions[place.index].lastInstant
        return .hear(message, from: blocks[place.block].sessions[place.index].session)
      }
      silencing = nil
    }
    while releasing < releaseEnd {
      let place = SessionBlock.Place(slot: releasing)
      if let output = releaseNext(at: place) { return output }
      releasing += 1
    }
    return nil
  }

  /// Ends the next note, or lifts the next pedal, that the peer of the session at `place` holds. Returns nil if it holds none.
  @_noLocks @_noAllocation
  mutating func releaseNext(at place: SessionBlock.Place) -> Output? {
    guard let message = blocks[place.block].sessions[place.index].held.releaseNext() else { return nil }
    let session = blocks[place.block].sessions[place.index].session
    instant = blocks[place.block].sessions[place.index].lastInstant
    return sound(message, at: place, then: .released(session, message))
  }

  /// The place of an open session; nil if the session does not use this slot.
  @_noLocks @_noAllocation
  private func place(of session: SessionID, in slot: Int) -> SessionBlock.Place? {
    guard slot < capacity else { return nil }
    let place = SessionBlock.Place(slot: slot)
    return blocks[place.block].sessions[place.index].belongs(to: session) ? place : nil
  }

  /// Returns the next packet that arrived shortly before the last command opened the session of the packet; nil if there is none. The
  /// driver calls this function after each command until the result is nil, and passes each packet to ``receive(_:from:at:)``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func takeEarlyPacket(at now: Instant) -> EarlyPacket? {
    guard let source = opened else { return nil }
    while var packet = early.take(of: source.ssrc, from: source.address, at: now) {
      if admit(&packet) { return packet }
    }
    opened = nil
    return nil
  }
}
