import MusicalTime

/// One clock request to a peer and its answer, with the four stamps of NTP (RFC 5905, section 8).
public struct NetworkExchange: Hashable, Sendable {
  /// The instants at which the request left and the answer arrived, by the local clock.
  public let sent, received: Instant
  /// The instants at which the request arrived and the answer left, by the remote clock. The time between them is the processing time of
  /// the peer. A CK exchange (``NetworkProtocol/clockPackets``) has only one stamp of the peer, so both instants are equal, and the round
  /// trip contains the processing time.
  public let remoteReceived, remoteSent: Instant

  /// Creates an exchange.
  ///
  /// Real-time: not safe.
  public init(sent: Instant, remoteReceived: Instant, remoteSent: Instant, received: Instant) {
    (self.sent, self.received) = (sent, received)
    (self.remoteReceived, self.remoteSent) = (remoteReceived, remoteSent)
  }

  /// The difference of the stamps of the request in nanoseconds: the offset of the remote clock plus the delay of the request.
  var outDifference: Double { Double((remoteReceived - sent).count) }
  /// The difference of the stamps of the answer in nanoseconds: the offset of the remote clock minus the delay of the answer.
  var backDifference: Double { Double((remoteSent - received).count) }
  /// The round trip in nanoseconds, without the time between ``remoteReceived`` and ``remoteSent``.
  var roundTrip: Double { Double(((received - sent) - (remoteSent - remoteReceived)).count) }

  /// Whether the stamps are plausible: they are within 73 years of the origin of their clock, the answer arrives 0 to 10 s after the
  /// request left, and the processing time of the peer is neither negative nor longer than the time from the request to the answer. The
  /// check is needed because a peer can send any stamps.
  ///
  /// - Parameter resolution: the resolution of the stamps of the peer. The processing time may be too long by this value.
  func isPlausible(resolution: Nanoseconds) -> Bool {
    let limit = TraceTick.limit
    let stamps = [sent, received, remoteReceived, remoteSent].map(\.nanoseconds)
    guard stamps.allSatisfy({ (-limit...limit).contains($0) }) else { return false }
    let (whole, processing) = (received - sent, remoteSent - remoteReceived)
    return whole >= .zero && whole <= .seconds(10) && processing >= .zero && processing <= whole + resolution
  }
}

/// The protocol with which `tutti measure network` requests the clock of a peer.
public enum NetworkProtocol: String, Hashable, Sendable, Codable {
  /// The clock synchronization packets (CK) of AppleMIDI, which every RTP-MIDI peer answers. Stamps are in units of 100 us.
  case clockPackets = "CK"
  /// The clock probes of Tutti peers. Stamps are in nanoseconds.
  case probes = "Tutti"

  /// The resolution of the stamps of the peer.
  ///
  /// Real-time: not safe.
  public var resolution: Nanoseconds { self == .probes ? Nanoseconds(1) : .microseconds(100) }
}

/// The one-way delays of the exchanges with a peer.
///
/// A one-way delay is the difference of the stamps of a packet (``NetworkExchange``), corrected by the offset of the clocks. The offset
/// comes from a ``ClockLine``. Each minute of exchanges has its own line, because the rate of a clock changes with its temperature, by
/// about 0.1 ppm in an hour. A rest of less than half a minute at the end belongs to the last minute.
struct OneWayDelays {
  /// The delays to the peer and from the peer in nanoseconds, in the order of the exchanges.
  private(set) var out, back: [Double]
  /// The number of exchanges without delays: no line fits the exchanges of their minute.
  private(set) var omitted = 0

  private static let minute = Nanoseconds.seconds(60)

  /// Calculates the delays.
  ///
  /// - Parameters:
  ///   - exchanges: the exchanges in the order of their answers.
  ///   - margin: the largest error of a stamp in nanoseconds.
  init(_ exchanges: [NetworkExchange], margin: Double) {
    (out, back) = ([], [])
    out.reserveCapacity(exchanges.count)
    back.reserveCapacity(exchanges.count)
    var rest = exchanges[...]
    while let first = rest.first, let last = rest.last {
      let isLast = last.received - first.received < Self.minute + .seconds(30)
      let part = isLast ? rest : rest.prefix { $0.received - first.received < Self.minute }
      rest = rest[part.endIndex...]
      guard let line = ClockLine(part, margin: margin) else {
        omitted += part.count
        continue
      }
      for exchange in part {
        out.append(exchange.outDifference - line.offset(at: exchange.sent))
        back.append(line.offset(at: exchange.received) - exchange.backDifference)
      }
    }
  }
}
