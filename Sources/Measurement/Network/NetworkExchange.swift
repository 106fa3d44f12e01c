import MusicalTime

/// One request to a peer and its answer, with the four stamps of NTP (RFC 5905, section 8).
public struct NetworkExchange: Hashable, Sendable {
  /// The instants at which the request left and the answer arrived, by the local clock.
  public let sent, received: Instant
  /// The instants at which the request arrived and the answer left, by the remote clock. They are equal if the protocol
  /// has one stamp only, as CK has: the time that the peer needs for its answer is then a part of the round trip.
  public let remoteReceived, remoteSent: Instant

  /// Creates an exchange.
  ///
  /// Real-time: not safe.
  public init(sent: Instant, remoteReceived: Instant, remoteSent: Instant, received: Instant) {
    (self.sent, self.received) = (sent, received)
    (self.remoteReceived, self.remoteSent) = (remoteReceived, remoteSent)
  }

  /// The remote clock minus the local clock, plus the delay of the request, nanoseconds.
  var outDifference: Double { Double((remoteReceived - sent).count) }
  /// The remote clock minus the local clock, minus the delay of the answer, nanoseconds.
  var backDifference: Double { Double((remoteSent - received).count) }
  /// The round trip without the time that the peer needed for its answer, nanoseconds.
  var roundTrip: Double { Double(((received - sent) - (remoteSent - remoteReceived)).count) }

  /// Whether the stamps can be those of a request and its answer, with clocks of this resolution. The peer is not
  /// trusted.
  func isPlausible(resolution: Nanoseconds) -> Bool {
    let limit = TraceTick.limit
    let stamps = [sent, received, remoteReceived, remoteSent].map(\.nanoseconds)
    guard stamps.allSatisfy({ (-limit...limit).contains($0) }) else { return false }
    let (whole, kept) = (received - sent, remoteSent - remoteReceived)
    return whole >= .zero && whole <= .seconds(10) && kept >= .zero && kept <= whole + resolution
  }
}
