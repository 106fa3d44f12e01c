import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Seeds

/// Hostile datagrams to one `Endpoint` that honest ones are in session with, under a virtual clock of a tenth of a
/// millisecond an input. The honest ones come again when they have been thrown out.
final class SessionFuzzer: Fuzzer {
  /// More than one input, or one look at the timers, can bring about: a table full of sessions that end, each with its BY.
  private static let mostOutputs = 20_000
  private static let home = Place(host: 1, port: 5004)

  private let victim: Endpoint<Place>
  private var honest: [HonestPeer] = []
  private var datagrams: HostileDatagrams
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var inputs = 0
  private var outputs = 0
  private var mostEstablished = 0

  init(seed: UInt64) {
    victim = Endpoint(name: "victim", identity: 1, random: SplitMix(seed: seed))
    datagrams = HostileDatagrams(seed: seed)
    for number in 0..<6 {
      honest.append(HonestPeer(place: Place(host: 2 + UInt32(number) / 2, port: 6000 + 2 * UInt16(number)), seed: seed))
    }
  }

  func feed() throws(FuzzFailure) {
    now = now + .microseconds(100)
    inputs += 1
    // Now and then everybody is silent for so long that sessions are given up and there is room again.
    if inputs % 100_000 == 0 { now = now + .seconds(65) }
    let letter = datagrams.make()
    victim.receive(letter.octets, from: letter.from, port: letter.port, at: now)
    if inputs % 50 == 0 {
      victim.advance(to: now)
      for peer in honest {
        peer.advance(to: now, victim: Self.home)
        try exchange(with: peer)
      }
    }
    try takeOutputs()
    let counters = victim.counters
    guard victim.establishedCount <= Endpoint<Place>.sessionLimit,
      counters.received == counters.accepted + counters.dropped
    else { throw FuzzFailure("\(victim.establishedCount) sessions, \(counters)") }
    mostEstablished = max(mostEstablished, victim.establishedCount)
  }

  /// Carries what `peer` has to say to the victim, whose answers come by ``takeOutputs()``.
  private func exchange(with peer: HonestPeer) throws(FuzzFailure) {
    for letter in peer.takeLetters() {
      datagrams.hear(letter)
      victim.receive(letter.octets, from: letter.from, port: letter.port, at: now)
      try takeOutputs()
    }
  }

  private func takeOutputs() throws(FuzzFailure) {
    let drained = victim.drain()
    outputs += drained.count
    guard drained.count <= Self.mostOutputs else { throw FuzzFailure("\(drained.count) outputs at once") }
    for case .send(let octets, let to, let port) in drained {
      guard let peer = honest.first(where: { $0.place == to || $0.place.dataPort == to }) else { continue }
      peer.receive(octets, from: port == .control ? Self.home : Self.home.dataPort, port: port, at: now)
    }
  }

  var account: String {
    let counters = victim.counters
    return "accepted \(counters.accepted), dropped \(counters.dropped), outputs \(outputs), "
      + "sessions \(victim.establishedCount), at most \(mostEstablished)"
  }
}
