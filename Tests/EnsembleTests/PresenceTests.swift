import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

/// When a peer sends its presence, what the presence reports, and which presences are rejected.
@Suite struct PresenceTests {
  @Test func presenceIsSentFourTimesPerSecondAndAtOnceOnChange() throws {
    var band = VirtualBand(players: 3, seed: 5, joined: false)
    band.joinAll()
    band.run(for: .seconds(2), probing: false)
    let countBeforeIdling = band.players[0].sentPresences.count
    band.run(for: .seconds(10), probing: false)
    // Four presences per second for 10 s to each of two peers: 80.
    #expect((78...82).contains(band.players[0].sentPresences.count - countBeforeIdling))
    let countBeforeChange = band.players[0].sentPresences.count
    // The presence reports `takesOver`, which depends on `masterLoss`. Two presences to a peer are at least 50 ms apart.
    band.players[0].ensemble.masterLoss = .stop
    band.run(for: .milliseconds(51), probing: false)
    #expect(band.players[0].sentPresences.count == countBeforeChange + 2)
    // The content changes every millisecond for one second. With at least 50 ms between two presences, 20 presences are sent to each
    // of the two peers: 40.
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
    // Within seven seconds, all peers know the lists of the players, and no sign occurs twice.
    band.run(for: .seconds(7), probing: false)
    let countBefore = band.players[0].sentPresences.count
    band.run(for: .seconds(5), probing: false)
    // Five seconds, 17 other peers. An ensemble is large if a peer has more than 16 other peers in session.
    #expect(band.players[0].sentPresences.count - countBefore == 5 * 17)
  }

  /// A peer sends its presence at the beginning of a session. Its gates change 10 ms later. The next presence may be sent only 50 ms
  /// after the previous one. A peer that tries earlier tries again 50 ms later. With the network delay of up to 3 ms, the other
  /// peer knows the change after at most 110 ms.
  @Test func changeRightAfterJoiningIsReportedWithin110Milliseconds() throws {
    var band = VirtualBand(players: 2, seed: 7, joined: false)
    band.run(for: .seconds(2))
    band.joinEachOther(0, 1)
    band.run(for: .milliseconds(10))
    band.players[0].ensemble.gates.set(.notes, open: false)
    band.run(for: .milliseconds(110))
    // The weight shows the gates that the presence has reported. It is 75 while no rhythm plays. A closed gate reduces it by 25.
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
    // The presence of peer 1 arrives from another sender. Peer 2 is not in session, peer 3 is in session, and peer 9 is the local
    // peer.
    for sender in [Identity(2), Identity(3), Identity(9)] {
      let rejected = ensemble.rejected
      ensemble.received(presence, from: sender, at: now)
      #expect(ensemble.rejected == rejected + 1)
    }
    // The gates of peer 1 are unknown, so none of the presences was accepted.
    #expect(ensemble.weights(of: Identity(1)).outward == nil)
    // Peer 1 sends its own presence after the end of its session: the fourth rejected presence.
    ensemble.left(Identity(1), at: now)
    ensemble.received(presence, from: Identity(1), at: now)
    #expect(ensemble.rejected == 4)
  }
}
