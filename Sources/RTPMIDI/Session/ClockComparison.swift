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

/// The last 32 requests, to which replies are matched. A reply refers to its request by a stamp. Only the first reply
/// to a request counts.
package struct OutstandingRequests: BitwiseCopyable {
  private struct Request: BitwiseCopyable {
    /// The stamp by which a reply refers to the request.
    var stamp: Int64
    /// The instant at which the request left.
    var instant: Instant
    /// Whether no reply has arrived yet.
    var isOpen: Bool
  }

  private var requests = InlineArray<32, Request>(
    repeating: Request(stamp: 0, instant: Instant(nanoseconds: 0), isOpen: false))
  /// The index for the next request.
  private var next = 0
  /// The number of requests, at most 32.
  private var count = 0

  package init() {}

  /// Adds a request that was sent at `instant`, in place of the oldest request.
  ///
  /// Real-time: not safe.
  package mutating func open(stamp: Int64, at instant: Instant) {
    requests[next] = Request(stamp: stamp, instant: instant, isOpen: true)
    next = (next + 1) % 32
    count = min(count + 1, 32)
  }

  /// The instant at which the oldest of the requests left; nil if there is none.
  ///
  /// Real-time: not safe.
  package var oldest: Instant? { (0..<count).map { requests[$0].instant }.min() }

  /// Records the reply to the request with this stamp. Returns the instant at which the request was sent; nil if there
  /// is no such request or if its reply has already arrived.
  ///
  /// Real-time: not safe.
  package mutating func close(stamp: Int64) -> Instant? {
    for index in 0..<32 where requests[index].isOpen && requests[index].stamp == stamp {
      requests[index].isOpen = false
      return requests[index].instant
    }
    return nil
  }
}

/// Lengthens intervals by a random part of up to a sixteenth.
///
/// Packets at equal intervals can always leave at the same phase of another periodic process: a clock that counts whole
/// units, the packets of another peer, or the ticks. Averaging does not remove the resulting error of measurement.
/// Intervals that vary by milliseconds cover all phases equally.
///
/// The random numbers are those of SplitMix64 (Steele, Lea and Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014): equal seeds give equal intervals. The numbers are not secret.
package struct Dither: BitwiseCopyable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Returns `interval` plus a random part of up to a sixteenth of it.
  ///
  /// Real-time: not safe.
  package mutating func lengthen(_ interval: Nanoseconds) -> Nanoseconds {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    let limit = UInt64(clamping: interval.count) / 16
    // Scales the random number 0..<2^64 to 0..<limit.
    return interval + Nanoseconds(Int64(mixed.multipliedFullWidth(by: limit).high))
  }
}
