import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@Suite struct PresenceTests {
  @Test func itIsSaidFourTimesASecondAndAtOnceOnChange() throws {
    var company = VirtualBand(players: 3, seed: 5, joined: false)
    company.meet()
    company.run(for: .seconds(2), probing: false)
    let begun = company.players[0].presented.count
    company.run(for: .seconds(10), probing: false)
    // To each of two.
    #expect((78...82).contains(company.players[0].presented.count - begun))
    let before = company.players[0].presented.count
    company.players[0].ensemble.masterLoss = .stop
    company.run(for: .milliseconds(51), probing: false)
    #expect(company.players[0].presented.count == before + 2)
    // Changed all the time: at most 20 a second to each.
    let busy = company.players[0].presented.count
    for n in 0..<1000 {
      company.players[0].ensemble.masterLoss = n % 2 == 0 ? .continue : .stop
      company.run(for: .milliseconds(1), probing: false)
    }
    #expect((38...42).contains(company.players[0].presented.count - busy))
  }

  @Test func inALargeEnsembleItIsSaidOnceASecond() {
    var company = VirtualBand(players: 18, seed: 6, joined: false)
    company.meet()
    company.run(for: .seconds(4), probing: false)
    let begun = company.players[0].presented.count
    company.run(for: .seconds(5), probing: false)
    #expect(company.players[0].presented.count - begun == 5 * 17)
  }

  /// What is said to whom that was told something else a moment ago is said soon.
  @Test func aChangeRightAfterMeetingIsToldInTime() throws {
    var company = VirtualBand(players: 2, seed: 7, joined: false)
    company.run(for: .seconds(2))
    company.meet(0, 1)
    company.run(for: .milliseconds(10))
    company.players[0].ensemble.gates.set(.notes, open: false)
    company.run(for: .milliseconds(110))
    #expect(company.players[1].ensemble.weights(of: company.identity(0)).outward == 50)
  }

  @Test func eachIsToldWhatIsOpenToIt() {
    var company = VirtualBand(players: 3, seed: 8, joined: false)
    company.players[0].ensemble.gates.set(.notes, open: false, for: "two")
    company.meet(named: ["zero", "one", "two"])
    company.run(for: .seconds(1), probing: false)
    #expect(company.players[1].ensemble.weights(of: company.identity(0)).outward == 75)
    #expect(company.players[2].ensemble.weights(of: company.identity(0)).outward == 50)
  }

  @Test func nobodySpeaksForAnotherOrFromOutside() {
    var ensemble = EnsembleState(identity: Identity(9))
    let now = Instant(nanoseconds: 0)
    for member in [Identity(1), Identity(3)] { ensemble.joined(member, at: now) }
    let presence = Presence(identity: Identity(1), claim: nil, channel: Channel(2), gates: .none, takesOver: false)
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
