import MusicalTime

/// The CK exchanges of one session, which compare the clocks of its two peers.
///
/// The initiator sends CK0: six packets 500 ms apart, six packets 1.5 s apart, then one every 10 s. (The intervals are
/// short at first because the RTP-MIDI library of BEB ends a session if six seconds pass without CK0 in the first 11 s
/// of the session.) Each interval is lengthened by up to a sixteenth (``Dither``). The answerer replies to CK0 with CK1,
/// and the initiator to CK1 with CK2. Only the first reply to a packet compares the clocks; repeated replies are ignored.
///
/// A stamp counts whole units of 100 us, rounded down. The middle of the unit is the best estimate of the instant. The
/// CK0 packets leave at all phases of the unit, so the errors of this estimate average out.
struct ClockComparison {
  /// The instants that a received packet reports.
  struct Reading {
    /// The instant, by the local clock, at which the local peer sent the packet that the received packet answers. Nil for
    /// a received CK0, which answers no packet.
    var requestSent: Instant?
    /// The instant at which the received packet left, by the remote clock.
    var remote: Instant
  }

  /// The instant at which the next CK0 is due; nil while the local peer sends no CK0, for example as
  /// the answerer of an established session.
  private(set) var next: Instant?
  /// The number of CK0 packets that were due so far.
  private var sent = 0
  private var dither: Dither
  /// The sent CK0 packets without CK1.
  private var requests = OutstandingRequests()
  /// The sent CK1 packets without CK2.
  private var replies = OutstandingRequests()

  init(seed: UInt64) { dither = Dither(seed: seed) }

  /// Starts to send CK0. The first is due at once.
  mutating func begin(at now: Instant) { next = now }

  /// Ends the sending of CK0.
  mutating func stop() { (next, sent) = (nil, 0) }

  /// Returns whether a CK0 is due, and schedules the next one.
  mutating func advance(to now: Instant) -> Bool {
    guard let due = next, due <= now else { return false }
    sent += 1
    next = now + dither.lengthen(sent < 6 ? .milliseconds(500) : sent < 12 ? .milliseconds(1500) : .seconds(10))
    return true
  }

  /// Creates the CK0 that was due, and records it as a request without reply.
  ///
  /// - Parameter instant: the instant of sending.
  mutating func request(ssrc: UInt32, sentAt instant: Instant) -> ClockPacket {
    let packet = ClockPacket(ssrc: ssrc, sentAt: instant)
    requests.open(stamp: Int64(bitPattern: packet.stamp1), at: instant)
    return packet
  }

  /// Evaluates a received packet.
  ///
  /// - Parameters:
  ///   - replied: the instant at which the local CK1, the reply to this packet, leaves or has left; used for a CK0 only.
  ///   - keepsOneReply: whether a CK2 may reply to the newest CK1 only. True for a sender that has not proved that it
  ///     receives (``Candidacy``). If CK2 could reply to any CK1, such a sender could send many CK0, and a guess would have
  ///     to match only one of many stamps.
  /// - Returns: nil if the packet is a CK1 or CK2 that replies to no sent packet, or a repeated reply.
  mutating func receive(
    _ packet: ClockPacket, repliedAt replied: Instant, keepsOneReply: Bool = false
  ) -> Reading? {
    switch packet.count {
    case 0:
      if keepsOneReply { replies = OutstandingRequests() }
      replies.open(stamp: replied.hundredMicroseconds, at: replied)
      return Reading(requestSent: nil, remote: packet.sent)
    case 1:
      return requests.close(stamp: Int64(bitPattern: packet.stamp1)).map {
        Reading(requestSent: $0, remote: packet.sent)
      }
    default:
      return replies.close(stamp: Int64(bitPattern: packet.stamp2)).map {
        Reading(requestSent: $0, remote: packet.sent)
      }
    }
  }
}
