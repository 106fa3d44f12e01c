import ClockSync
import MusicalTime
public import RTPMIDI

/// An RTP-MIDI peer as an external clock.
///
/// The packets of the peer's stream are numbered. While no packet is missing, no tick is missing. A lost tick that a recovery
/// journal contains is counted. If packets are missing and no journal has contained ticks, the number of lost ticks is
/// estimated from the elapsed time.
public struct RTPPeerClock {
  /// The address of the peer's control port.
  public let address: SocketAddress
  /// The name of the peer in messages for the user.
  public private(set) var name: String
  /// The session with the peer; nil if there is none.
  public private(set) var session: SessionID?
  /// The MIDI clock that the peer sends.
  public var clock = ExternalClock()
  /// Whether the peer is a Tutti peer. The local peer then follows its rhythm like the rhythm of any Tutti peer, and does not use its MIDI
  /// clock.
  public private(set) var isTutti = false
  /// Whether the peer has been in session before.
  private var wasConnected = false
  /// The estimate of the peer's system clock, for its time stamps.
  private var remote = RemoteClock()
  /// The number of missing packets of the stream when the last tick arrived.
  private var missing: Int64 = 0
  /// Whether a journal has contained ticks since the last tick that arrived.
  private var isRecovered = false

  public init(address: SocketAddress, name: String) { (self.address, self.name) = (address, name) }

  /// Records that the peer is in session.
  ///
  /// - Returns: whether the peer has been in session before.
  mutating func established(_ session: SessionID, name: String?) -> Bool {
    defer { wasConnected = true }
    (self.session, isTutti, missing, isRecovered) = (session, false, 0, false)
    discardMeasurements()
    if let name { self.name = name }
    return wasConnected
  }

  /// Records that the session has ended.
  mutating func ended() {
    session = nil
    clock.ticksMayBeLost()
  }

  /// Records that the peer is a Tutti peer. If its MIDI clock has started a rhythm, the rhythm ends.
  mutating func recognised(by ensemble: inout EnsembleState, at now: Instant) {
    isTutti = true
    _ = clock.received(.stop, at: now, for: &ensemble, now: now)
    clock = ExternalClock()
  }

  /// Adds a measurement of the peer's clock.
  mutating func measured(_ transit: ClockTransit, at now: Instant) { remote.add(transit, at: now) }

  /// Discards the measurements of the peer's clock.
  mutating func discardMeasurements() { remote = RemoteClock() }

  /// Handles a message of the peer's MIDI clock. A tick is passed on with the number of packets that are missing before it.
  ///
  /// - Parameters:
  ///   - stamp: when the message applies, by the peer's clock.
  ///   - arrival: when the message arrived.
  ///   - isRecovered: whether the message comes from a recovery journal.
  ///   - lost: the number of packets of the stream that are missing so far.
  mutating func received(
    _ message: ExternalClock.Message, stamped stamp: Instant, at arrival: Instant, isRecovered: Bool, lost: Int64,
    for ensemble: inout EnsembleState, now: Instant
  ) -> ExternalClock.Event? {
    var message = message
    var clockStamp: ExternalClock.Stamp?
    if message == .clock {
      if isRecovered {
        message = .recoveredClock
        self.isRecovered = true
      } else {
        // If the number of missing packets has fallen, this packet was one of the missing packets and has arrived late. At most 1000
        // packets count as missing. The elapsed time decides how many of them contained ticks.
        message =
          lost < missing ? .lateClock : .numberedClock(missing: self.isRecovered ? 0 : min(lost - missing, 1000))
        (missing, self.isRecovered) = (lost, false)
        clockStamp = remote.estimate(at: arrival).map { ExternalClock.Stamp(stamp, by: $0) }
      }
    }
    return clock.received(message, at: arrival, stamp: clockStamp, for: &ensemble, now: now)
  }
}
