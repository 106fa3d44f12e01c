import MIDI
import MusicalTime
import RTPMIDI

/// Hostile packets through one `PacketReceiver`.
final class PacketFuzzer: Fuzzer {
  private static let systemExclusiveCapacity = 256
  /// More events than a packet of 1500 octets and a journal can bring about.
  private static let mostEvents = 20_000

  private var packets: HostilePackets
  private var receiver = PacketReceiver(ssrc: HostilePackets.ssrc, systemExclusiveCapacity: systemExclusiveCapacity)
  private var accepted = 0
  private var events = 0

  init(seed: UInt64) { packets = HostilePackets(seed: seed) }

  func feed() throws(FuzzFailure) {
    packets.make()
    let octets = packets.packet
    let packet = octets.span
    var count = 0
    do throws(PacketError) {
      try receiver.open(packet, near: Instant(nanoseconds: 1_000_000_000))
      accepted += 1
      while let event = try receiver.next(in: packet), count <= Self.mostEvents {
        count += 1
        if case .systemExclusive = event, receiver.systemExclusiveCount > Self.systemExclusiveCapacity { break }
      }
    } catch {}
    events += count
    guard count <= Self.mostEvents else { throw FuzzFailure("a packet gave more than \(Self.mostEvents) events") }
    guard receiver.systemExclusiveCount <= Self.systemExclusiveCapacity else {
      throw FuzzFailure("a System Exclusive of \(receiver.systemExclusiveCount) octets outgrew its room")
    }
  }

  var account: String {
    let counts = receiver.statistics
    return "accepted \(accepted), events \(events), malformed \(counts.malformed), lost \(counts.lost)"
  }
}
