import MusicalTime
public import RTPMIDI

/// A fuzzer of a ``PacketReceiver``, which receives ``HostilePackets``.
///
/// After each packet, the following invariants are checked:
/// - A rejected packet gives no events.
/// - An accepted packet is counted once and gives a bounded number of events.
/// - No System Exclusive message exceeds the capacity of the receiver.
public final class PacketFuzzer: Fuzzer {
  private static let systemExclusiveCapacity = 256
  /// An upper bound of the number of events of one packet: the events of its recovery journal, and one event per octet. A hostile packet
  /// has at most 4000 octets.
  private static let maximumEvents = EventLimits.journal + 4000

  private var packets: HostilePackets
  private var receiver = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: systemExclusiveCapacity)
  private let seed: UInt64
  private var inputs = 0
  /// The number of all events.
  private var events = 0
  /// The largest number of events of one packet.
  private var largestCount = 0

  /// A fuzzer that derives its inputs from `count` valid packets.
  public init(seed: UInt64, count: Int = 8192) {
    self.seed = seed
    packets = HostilePackets(seed: seed, count: count)
  }

  /// The counters of the receiver.
  public var statistics: ReceptionStatistics { receiver.statistics }

  public var account: String {
    let counts = receiver.statistics
    return """
      accepted \(counts.received), malformed \(counts.malformed), malformed journals \(counts.malformedJournals), \
      duplicates \(counts.duplicates), repairs \(counts.repairs), recovered \(counts.recovered), events \(events), \
      at most \(largestCount) of one packet
      """
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try feed(packets.next())
      inputs += 1
    }
  }

  /// Passes a packet to the receiver, takes all its events, and checks the invariants.
  private func feed(_ octets: [UInt8]) throws(FuzzFailure) {
    let packet = octets.span
    let countBefore = receiver.statistics.received
    var isAccepted = true
    do { try receiver.open(packet, near: Instant(nanoseconds: 1_000_000_000)) } catch { isAccepted = false }
    var count = 0
    while receiver.next(in: packet) != nil, count <= Self.maximumEvents {
      count += 1
      try check(
        receiver.systemExclusiveCount <= Self.systemExclusiveCapacity, "a System Exclusive message exceeds its capacity"
      )
    }
    try check(isAccepted || count == 0, "\(count) events of a rejected packet")
    try check(
      receiver.statistics.received - countBefore == (isAccepted ? 1 : 0), "a packet is not counted exactly once")
    try check(
      count <= Self.maximumEvents, "more than \(Self.maximumEvents) events of a packet of \(octets.count) octets")
    events += count
    largestCount = max(largestCount, count)
  }

  private func check(_ holds: Bool, _ violation: @autoclosure () -> String) throws(FuzzFailure) {
    if !holds { throw FuzzFailure(violation(), seed: seed, input: inputs) }
  }
}
