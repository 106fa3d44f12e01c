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
  init() {}

  /// The admitted kinds of messages, and how loud the notes sound.
  var admission = Admission()
  /// The notes and pedals that the peer holds at the local peer.
  var held = HeldNotes()
  /// The notes of ``held`` that sound.
  var heard = HeldNotes()
  /// The budget for messages of the peer that sound at the local peer. Each peer has its own budget, so that a flood from one
  /// peer does not silence the others.
  private(set) var budget = MessageBudget()

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
    (held, heard, budget) = (HeldNotes(), HeldNotes(), MessageBudget())
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

  /// Returns whether a message of the peer that arrived at `arrival` is admitted: its gate is open, and the budget admits it. A
  /// message that ends a note or lifts a pedal of ``held``, or that silences a channel on which a note was played, is always admitted.
  @_noLocks @_noAllocation
  mutating func admits(_ message: Message, at arrival: Instant) -> Bool {
    guard message.isOfChannel, !reportsActivity(message) else { return false }
    if !held.ends(with: message) {
      var isGateOpen = admission.modification
      if case .some = message.key { isGateOpen = admission.notes }
      guard isGateOpen, budget.admit(at: arrival) else { return false }
    }
    held.record(message)
    return true
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
      return ends || admission.isHeard ? .unchanged : .nothing
    }
    let sound = admission.hearing.sound(of: message)
    guard admission.isHeard else { return .nothing }
    heard.record(message)
    return sound
  }
}
