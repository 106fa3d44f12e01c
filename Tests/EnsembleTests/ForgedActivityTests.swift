import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing

/// Levels (the activity of one player, controller 11 on channel 1) from peers that may not send them, and totals (the total activity,
/// controller 7 on channel 1), which Tutti peers take from the timeline message only.
@Suite struct ForgedActivityTests {
  @Test func activityFromUnauthorisedPeersIsIgnored() throws {
    var band = try VirtualBand.playing(3, seed: 10, activity: [10, 20, 40])
    band.run(for: .seconds(2))
    let level = Message.controlChange(Channel(wire: 0), controller: 11, value: 127)
    let total = Message.controlChange(Channel(wire: 0), controller: 7, value: 127)
    let rejected = band.players[0].ensemble.rejected
    // Identity 1 is not in session.
    deliver(level, from: Identity(1), to: 0, &band)
    #expect(band.players[0].ensemble.rejected == rejected + 1)
    // No peer applies a total from a controller, not even from the master.
    deliver(total, from: band.identity(0), to: 1, &band)
    deliver(total, from: band.identity(2), to: 1, &band)
    deliver(total, from: band.identity(2), to: 0, &band)
    // Messages on other channels and notes are not about activity.
    deliver(.controlChange(Channel(wire: 1), controller: 11, value: 1), from: band.identity(1), to: 0, &band)
    deliver(.noteOn(Channel(wire: 0), key: 60, velocity: 1), from: band.identity(1), to: 0, &band)
    band.run(for: .seconds(1))
    // The total is still the sum of the levels 10, 20 and 40.
    #expect((0..<3).allSatisfy { band.lastTotal(of: $0) == 70 })
  }

  /// Delivers a forged message to player `n`. No player of the band has sent it.
  private func deliver(_ message: Message, from sender: Identity, to n: Int, _ band: inout VirtualBand) {
    band.players[n].ensemble.received(message, from: sender)
  }
}
