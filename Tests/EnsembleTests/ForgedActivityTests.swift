import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing

/// Levels and totals of those who have no say, and at instants that cannot be.
@Suite struct ForgedActivityTests {
  @Test func strangersAndImpostorsChangeNothing() throws {
    var company = try VirtualBand.playing(3, seed: 10, activity: [10, 20, 40])
    company.run(for: .seconds(2))
    let loud = Message.controlChange(Channel(wire: 0), controller: 11, value: 127)
    let all = Message.controlChange(Channel(wire: 0), controller: 7, value: 127)
    let rejected = company.players[0].ensemble.rejected
    // Not in session.
    #expect(forge(loud, from: Identity(1), to: 0, &company))
    #expect(company.players[0].ensemble.rejected == rejected + 1)
    // In session, but not the master; and the master itself is told nothing.
    #expect(forge(all, from: company.identity(2), to: 1, &company))
    #expect(forge(all, from: company.identity(2), to: 0, &company))
    company.run(for: .seconds(1))
    #expect((0..<3).allSatisfy { company.played(by: $0) == 70 })
    // What is not activity is somebody else's.
    let other = Message.controlChange(Channel(wire: 1), controller: 11, value: 1)
    #expect(!forge(other, from: company.identity(1), to: 0, &company))
    #expect(!forge(.noteOn(Channel(wire: 0), key: 60, velocity: 1), from: company.identity(1), to: 0, &company))
  }

  /// Whatever instant the master gives, nothing traps, and the total counts, soon at the latest.
  @Test func impossibleInstantsAreTakenForNone() throws {
    var company = try VirtualBand.playing(2, seed: 11)
    company.run(for: .seconds(2))
    for (n, instant) in [Int64.min, -1, 0, 1 << 62, .max].enumerated() {
      let told = Message.controlChange(Channel(wire: 0), controller: 7, value: UInt7(masking: UInt8(n + 1)))
      #expect(forge(told, at: Instant(nanoseconds: instant), from: company.identity(0), to: 1, &company))
      let heard = company.players[1].steps.count
      company.run(for: .milliseconds(700))
      // Until the master itself tells it again.
      #expect(company.players[1].steps[heard...].contains { $0.total == UInt8(n + 1) })
    }
  }

  /// A message from nowhere; whether it was about activity.
  private func forge(
    _ message: Message, at instant: Instant? = nil, from sender: Identity, to n: Int, _ company: inout VirtualBand
  ) -> Bool {
    let now = company.own(n)
    return company.players[n].ensemble.received(message, at: instant ?? now, isRecovered: false, from: sender, now: now)
  }
}
