import ClockSync
import MusicalTime
public import RTPMIDI

/// The RTP-MIDI peer whose clock is kept, and what has been heard of it.
///
/// Its stream numbers its packets. While none is missing no tick is; ticks that a recovery journal makes good are counted
/// too; and where packets are missing and no journal has told of ticks, time decides how many of them were.
public struct ClockPeer {
  /// Its control port.
  public let address: SocketAddress
  /// What it is called in messages.
  public private(set) var name: String
  /// Nil while it is not in session.
  public private(set) var session: SessionID?
  public var clock = OutsideClock()
  /// Whether it is a Tutti peer: then its rhythm is followed as any Tutti peer's, and its plain clock is not kept.
  public private(set) var isTutti = false
  /// Whether it has been in session before.
  private var wasThere = false
  private var remote = RemoteClock()
  /// Packets of its stream that were missing when it was heard last.
  private var missing: Int64 = 0
  /// Whether a journal has told of ticks since the last one that came.
  private var isRecovered = false

  public init(address: SocketAddress, name: String) { (self.address, self.name) = (address, name) }

  /// It is in session: whether it has come back.
  mutating func established(_ session: SessionID, name: String?) -> Bool {
    defer { wasThere = true }
    (self.session, isTutti, missing, isRecovered) = (session, false, 0, false)
    remote = RemoteClock()
    if let name { self.name = name }
    return wasThere
  }

  /// Its session is over.
  mutating func ended() {
    session = nil
    clock.lostCount()
  }

  /// What its plain clock has said before that is known is as if it had not.
  mutating func recognised(by ensemble: inout Ensemble, at now: Instant) {
    isTutti = true
    _ = clock.received(.stop, at: now, for: &ensemble, now: now)
    clock = OutsideClock()
  }

  /// Learns of its clock from one packet.
  mutating func measured(_ transit: ClockTransit, at now: Instant) { remote.add(transit, at: now) }

  /// Takes what it said.
  ///
  /// - Parameters:
  ///   - stamp: when it counts by the peer's clock.
  ///   - arrival: when it came.
  ///   - lost: packets of its stream missing so far.
  mutating func received(
    _ message: OutsideClock.Message, stamped stamp: Instant, at arrival: Instant, isRecovered: Bool, lost: Int64,
    for ensemble: inout Ensemble, now: Instant
  ) -> OutsideClock.Event? {
    var said = message
    var mark: OutsideClock.Stamp?
    if message == .clock {
      if isRecovered {
        said = .recoveredClock
        self.isRecovered = true
      } else {
        said =
          lost < missing ? .lateClock : .numberedClock(missing: self.isRecovered ? 0 : min(lost - missing, 1000))
        (missing, self.isRecovered) = (lost, false)
        mark = remote.estimate(at: arrival).map { OutsideClock.Stamp(stamp, by: $0) }
      }
    }
    return clock.received(said, at: arrival, stamp: mark, for: &ensemble, now: now)
  }
}
