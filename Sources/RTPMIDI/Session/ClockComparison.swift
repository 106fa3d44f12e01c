import MusicalTime

/// The CK exchanges of one session. The initiator sends CK0: six at 500 ms, six at 1.5 s, then one every 10 s; whoever is
/// asked answers. (BEB's library gives a session up when for its first 11 s there is no CK0 every six seconds.) Only an answer to what was sent, and only the first, compares clocks.
struct ClockComparison {
  /// When the next CK0 is due; nil for the answerer.
  private(set) var next: Instant?
  private var sent = 0
  /// CK0s that wait for their CK1.
  private var questions = OutstandingRequests()
  /// CK1s that wait for their CK2.
  private var answers = OutstandingRequests()

  /// Begins to send CK0, the first at once.
  mutating func begin(at now: Instant) { next = now }

  /// The CK0 that is due, if one is.
  mutating func advance(to now: Instant, ssrc: UInt32) -> ClockPacket? {
    guard let due = next, due <= now else { return nil }
    sent += 1
    next = now + (sent < 6 ? .milliseconds(500) : sent < 12 ? .milliseconds(1500) : .seconds(10))
    let packet = ClockPacket(ssrc: ssrc, sentAt: now)
    questions.open(stamp: Int64(bitPattern: packet.stamp1), at: now)
    return packet
  }

  /// Takes the peer's packet. What it completes, CK1 at the initiator or CK2 at the answerer, yields an exchange.
  ///
  /// - Returns: the exchange, and the sender's clock at about `instant`; nil when the packet answers nothing.
  mutating func receive(
    _ packet: ClockPacket, at instant: Instant
  ) -> (exchange: ClockExchange?, remote: Instant)? {
    let own: Instant?
    let remote: Instant
    switch packet.count {
    case 0:
      // The stamp of the CK1 that answers it, here or already on the receiving thread.
      answers.open(stamp: instant.hundredMicroseconds, at: instant)
      return (nil, ClockPacket.instant(of: packet.stamp1))
    case 1:
      own = questions.close(stamp: Int64(bitPattern: packet.stamp1))
      remote = ClockPacket.instant(of: packet.stamp2)
    default:
      own = answers.close(stamp: Int64(bitPattern: packet.stamp2))
      remote = ClockPacket.instant(of: packet.stamp3)
    }
    guard let own else { return nil }
    let exchange = ClockExchange(
      sent: own, remoteReceived: remote, remoteSent: remote, received: instant, resolution: .microseconds(100))
    return (exchange, remote)
  }
}
