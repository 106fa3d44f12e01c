import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// When presences are sent, what they report, and which ones are rejected.
@Suite struct PresenceTests {
  @Test func presenceIsSentFourTimesPerSecondAndAtOnceOnChange() throws {
    var band = VirtualBand(players: 3, seed: 5, joined: false)
    band.joinAll()
    band.run(for: .seconds(2), probing: false)
    let countBeforeIdling = band.players[0].sentPresences.count
    band.run(for: .seconds(10), probing: false)
    // Four presences per second for 10 s to each of two peers.
    #expect((78...82).contains(band.players[0].sentPresences.count - countBeforeIdling))
    let countBeforeChange = band.players[0].sentPresences.count
    // The new setting is part of the presence. Two presences to a peer are at least 50 ms apart.
    band.players[0].ensemble.masterLoss = .stop
    band.run(for: .milliseconds(51), probing: false)
    #expect(band.players[0].sentPresences.count == countBeforeChange + 2)
    // The content changes every millisecond for one second. 20 presences are sent to each of the two peers.
    let countBeforeManyChanges = band.players[0].sentPresences.count
    for n in 0..<1000 {
      band.players[0].ensemble.masterLoss = n % 2 == 0 ? .continue : .stop
      band.run(for: .milliseconds(1), probing: false)
    }
    #expect((38...42).contains(band.players[0].sentPresences.count - countBeforeManyChanges))
  }

  @Test func presenceIsSentOncePerSecondInALargeEnsemble() {
    var band = VirtualBand(players: 18, seed: 6, joined: false)
    band.joinAll()
    band.run(for: .seconds(4), probing: false)
    let countBefore = band.players[0].sentPresences.count
    band.run(for: .seconds(5), probing: false)
    // Five seconds, 17 other peers. An ensemble is large if a peer has more than 16 other peers in session.
    #expect(band.players[0].sentPresences.count - countBefore == 5 * 17)
  }

  /// The gates change 10 ms after a presence was sent. The next presence may follow only 50 ms after the previous one. An attempt that
  /// is too early is repeated after another 50 ms. With the network delay of up to 3 ms, this takes at most 110 ms.
  @Test func changeRightAfterJoiningIsReportedWithin110Milliseconds() throws {
    var band = VirtualBand(players: 2, seed: 7, joined: false)
    band.run(for: .seconds(2))
    band.joinEachOther(0, 1)
    band.run(for: .milliseconds(10))
    band.players[0].ensemble.gates.set(.notes, open: false)
    band.run(for: .milliseconds(110))
    // The weight is 75 while no rhythm plays, and a closed gate reduces it by 25.
    #expect(band.players[1].ensemble.weights(of: band.identity(0)).outward == 50)
  }

  @Test func presenceReportsTheGatesForItsReceiver() {
    var band = VirtualBand(players: 3, seed: 8, joined: false)
    band.players[0].ensemble.gates.set(.notes, open: false, for: "two")
    band.joinAll(named: ["zero", "one", "two"])
    band.run(for: .seconds(1), probing: false)
    // Only the presence to player 2 reports a closed gate, which reduces the weight from 75 to 50.
    #expect(band.players[1].ensemble.weights(of: band.identity(0)).outward == 75)
    #expect(band.players[2].ensemble.weights(of: band.identity(0)).outward == 50)
  }

  @Test func presenceOfAnotherPeerOrFromAPeerNotInSessionIsRejected() {
    var ensemble = EnsembleState(identity: Identity(9))
    let now = Instant(nanoseconds: 0)
    for member in [Identity(1), Identity(3)] { ensemble.joined(member, at: now) }
    let presence = Presence(identity: Identity(1), claim: nil, channel: Channel(2), gates: .none, takesOver: false)
    // Identity 2 is not in session, 3 is another peer in session, and 9 is the local peer.
    for sender in [Identity(2), Identity(3), Identity(9)] {
      let rejected = ensemble.rejected
      ensemble.received(presence, from: sender, at: now)
      #expect(ensemble.rejected == rejected + 1)
    }
    #expect(ensemble.weights(of: Identity(1)).outward == nil)
    ensemble.left(Identity(1), at: now)
    ensemble.received(presence, from: Identity(1), at: now)
    #expect(ensemble.rejected == 4)
  }
}
