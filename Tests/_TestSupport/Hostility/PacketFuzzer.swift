import MusicalTime
import RTPMIDI

/// One ``PacketReceiver`` that gets ``HostilePackets``.
///
/// After each, what must always hold is looked at: a packet refused gives nothing, one taken is counted once and gives a
/// bounded number of events, and no System Exclusive outgrows its room.
public final class PacketFuzzer: Fuzzer {
  private static let systemExclusiveCapacity = 256
  /// More than the steps of a journal and the commands of a packet can be.
  private static let mostEvents = 16_383 + 4096 + 4000

  private var packets: HostilePackets
  private var receiver = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: systemExclusiveCapacity)
  private let seed: UInt64
  private var inputs = 0
  private var events = 0
  private var most = 0

  /// A fuzzer whose inputs are made from `count` valid packets.
  public init(seed: UInt64, count: Int = 8192) {
    self.seed = seed
    packets = HostilePackets(seed: seed, count: count)
  }

  /// What has become of the packets.
  public var statistics: ReceptionStatistics { receiver.statistics }

  public var account: String {
    let counts = receiver.statistics
    return """
      taken \(counts.received), malformed \(counts.malformed), malformed journals \(counts.malformedJournals), \
      duplicates \(counts.duplicates), repairs \(counts.repairs), recovered \(counts.recovered), events \(events), \
      of one packet \(most) at most
      """
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try feed(packets.next())
      inputs += 1
    }
  }

  private func feed(_ octets: [UInt8]) throws(FuzzFailure) {
    let packet = octets.span
    let taken = receiver.statistics.received
    var isTaken = true
    do { try receiver.open(packet, near: Instant(nanoseconds: 1_000_000_000)) } catch { isTaken = false }
    var count = 0
    while receiver.next(in: packet) != nil, count <= Self.mostEvents {
      count += 1
      try check(receiver.systemExclusiveCount <= Self.systemExclusiveCapacity, "a System Exclusive outgrew its room")
    }
    try check(isTaken || count == 0, "\(count) events of a packet that was refused")
    try check(receiver.statistics.received - taken == (isTaken ? 1 : 0), "a packet is not counted once")
    try check(count <= Self.mostEvents, "more than \(Self.mostEvents) events of a packet of \(octets.count) octets")
    events += count
    most = max(most, count)
  }

  private func check(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFailure) {
    if !holds { throw FuzzFailure(what(), seed: seed, input: inputs) }
  }
}
