import MusicalTime

/// The CK exchanges of one session.
///
/// The initiator sends CK0: six packets 500 ms apart, six packets 1.5 s apart, then one every 10 s. Each interval is
/// lengthened by up to a sixteenth (``Dither``). The other side replies. (BEB's library ends a session if, in its first 11 s,
/// there are six seconds without CK0.) Only the first reply to a sent packet compares the clocks.
///
/// A stamp counts whole units of 100 us, rounded down. The middle of the unit is the best estimate of the instant. The CK0
/// packets leave at all phases of the unit, so the errors of this estimate average out.
struct ClockComparison {
  /// The content of a received packet.
  struct Reading {
    /// The instant at which the packet that this one replies to left, by the local clock; nil for a CK0.
    var requestSent: Instant?
    /// The instant at which the packet left, by the remote clock.
    var remote: Instant
  }

  /// The instant at which the next CK0 is due; nil for the answerer.
  private(set) var next: Instant?
  private var sent = 0
  private var dither: Dither
  /// CK0 packets without CK1.
  private var requests = OutstandingRequests()
  /// CK1 packets without CK2.
  private var replies = OutstandingRequests()

  init(seed: UInt64) { dither = Dither(seed: seed) }

  /// Starts to send CK0. The first is due at once.
  mutating func begin(at now: Instant) { next = now }

  /// Returns whether a CK0 is due.
  mutating func advance(to now: Instant) -> Bool {
    guard let due = next, due <= now else { return false }
    sent += 1
    next = now + dither.lengthen(sent < 6 ? .milliseconds(500) : sent < 12 ? .milliseconds(1500) : .seconds(10))
    return true
  }

  /// Returns the CK0 that was due.
  ///
  /// - Parameter instant: the instant of sending.
  mutating func request(ssrc: UInt32, sentAt instant: Instant) -> ClockPacket {
    let packet = ClockPacket(ssrc: ssrc, sentAt: instant)
    requests.open(stamp: Int64(bitPattern: packet.stamp1), at: instant)
    return packet
  }

  /// Evaluates a received packet.
  ///
  /// - Parameter replied: the instant at which the CK1 to this packet leaves or has left; used for a CK0 only.
  /// - Returns: nil if the packet replies to nothing.
  mutating func receive(_ packet: ClockPacket, repliedAt replied: Instant) -> Reading? {
    switch packet.count {
    case 0:
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
