import MusicalTime

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
