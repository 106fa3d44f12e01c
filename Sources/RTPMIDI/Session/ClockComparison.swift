import MusicalTime

/// The CK exchanges of one session. The initiator sends CK0: six at 500 ms, six at 1.5 s, then one every 10 s, each up to
/// a sixteenth later (``Dither``); whoever is asked answers. (BEB's library gives a session up when for its first 11 s
/// there is no CK0 every six seconds.) Only an answer to what was sent, and only the first, compares clocks.
///
/// A stamp counts whole units of 100 us, rounded down. The middle of its unit is the best guess of the instant, and as the
/// CK0s leave at all phases of the unit, what is guessed wrong averages out.
struct ClockComparison {
  /// What a packet tells.
  struct Reading {
    /// When what it answers left here, nil for a CK0.
    var asked: Instant?
    /// When that arrived there and this left, by the peer's clock.
    var remote: Instant
  }

  /// When the next CK0 is due; nil for the answerer.
  private(set) var next: Instant?
  private var sent = 0
  private var dither: Dither
  /// CK0s that wait for their CK1.
  private var questions = OutstandingRequests()
  /// CK1s that wait for their CK2.
  private var answers = OutstandingRequests()

  init(seed: UInt64) { dither = Dither(seed: seed) }

  /// Begins to send CK0, the first at once.
  mutating func begin(at now: Instant) { next = now }

  /// Whether a CK0 is due.
  mutating func advance(to now: Instant) -> Bool {
    guard let due = next, due <= now else { return false }
    sent += 1
    next = now + dither.lengthen(sent < 6 ? .milliseconds(500) : sent < 12 ? .milliseconds(1500) : .seconds(10))
    return true
  }

  /// The CK0 that was due, which leaves at `instant`.
  mutating func question(ssrc: UInt32, sentAt instant: Instant) -> ClockPacket {
    let packet = ClockPacket(ssrc: ssrc, sentAt: instant)
    questions.open(stamp: Int64(bitPattern: packet.stamp1), at: instant)
    return packet
  }

  /// Takes the peer's packet.
  ///
  /// - Parameter answered: when its CK1 leaves, or has left; of use for a CK0 alone.
  /// - Returns: nil when the packet answers nothing.
  mutating func receive(_ packet: ClockPacket, answered: Instant) -> Reading? {
    switch packet.count {
    case 0:
      answers.open(stamp: answered.hundredMicroseconds, at: answered)
      return Reading(asked: nil, remote: packet.sent)
    case 1:
      return questions.close(stamp: Int64(bitPattern: packet.stamp1)).map { Reading(asked: $0, remote: packet.sent) }
    default:
      return answers.close(stamp: Int64(bitPattern: packet.stamp2)).map { Reading(asked: $0, remote: packet.sent) }
    }
  }
}
