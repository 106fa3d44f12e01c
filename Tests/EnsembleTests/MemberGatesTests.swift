import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Testing

/// How each peer learns the gates of all pairs of peers, and which of them it keeps.
@Suite struct MemberGatesTests {
  /// The pairs of players (a, b) of which player `observer` does not know the gates of player a for player b.
  private func unknown(_ band: VirtualBand, to observer: Int) -> [String] {
    let players = band.players
    return players.indices.filter { $0 != observer }.flatMap { a in
      let takes = players[observer].ensemble.takes(of: band.identity(a))
      let expected = players.indices.filter { $0 != a }
      return expected.filter { takes[band.identity($0)] != players[a].ensemble.opening(for: band.identity($0)) }
        .map { "\(a) for \($0)" } + (takes.count > expected.count ? ["too many of \(a)"] : [])
    }
  }

  /// Each of the six players closes another gate for the next one. The five members of a peer are reported in five intervals of 250 ms,
  /// each at most an eighth longer.
  @Test(arguments: UInt64(1)...4) func everyPeerLearnsTheGatesOfAllPairs(seed: UInt64) {
    var band = VirtualBand(players: 6, seed: seed, loss: seed > 2 ? 0.2 : 0, joined: false)
    for n in 0..<6 {
      band.players[n].ensemble.gates.set(Gate.allCases[n % 4], open: false, for: "\(band.identity((n + 1) % 6))")
    }
    band.joinAll()
    for n in 0..<6 { #expect(!unknown(band, to: n).isEmpty) }
    // A lost report is repeated in the next rotation.
    band.run(for: .seconds(seed > 2 ? 6 : 2), probing: false)
    for n in 0..<6 { #expect(unknown(band, to: n) == [], "seed \(seed), player \(n)") }
  }

  /// Two presences to a peer are at least 50 ms apart, and the delay of the network is at most 3 ms. In its turn, a change would be
  /// reported after up to 1.4 s.
  @Test func changeIsReportedFirst() {
    var band = VirtualBand(players: 6, seed: 5, joined: false)
    band.joinAll()
    band.run(for: .seconds(3), probing: false)
    for n in 1..<6 {
      band.players[0].ensemble.gates.set(.notes, open: false, for: "\(band.identity(n))")
      band.run(for: .milliseconds(110), probing: false)
      for observer in 1..<6 { #expect(unknown(band, to: observer) == [], "player \(n), observer \(observer)") }
      band.run(for: .seconds(1), probing: false)
    }
  }

  @Test func entriesDisappearWithTheirPeer() {
    var band = VirtualBand(players: 4, seed: 6, joined: false)
    band.joinAll()
    band.run(for: .seconds(2), probing: false)
    #expect(band.players[0].ensemble.takes(of: band.identity(1))[band.identity(3)] == .all)
    band.leave(3)
    for n in 0..<3 {
      let ensemble = band.players[n].ensemble
      #expect(ensemble.takes(of: band.identity(3)).isEmpty)
      for other in 0..<3 where other != n {
        let known = Set(ensemble.takes(of: band.identity(other)).keys)
        #expect(known == Set((0..<3).filter { $0 != other }.map { band.identity($0) }), "player \(n), player \(other)")
      }
    }
  }

  /// A hostile peer reports gates for any identity.
  @Test func onlyGatesForTheOwnMembersAreKeptAndAtMost64() {
    let (local, hostile, now) = (Identity(1000), Identity(500), Instant(nanoseconds: 1_000_000_000))
    var ensemble = EnsembleState(identity: local)
    for number in UInt64(1)...80 { ensemble.joined(Identity(number), at: now) }
    ensemble.joined(hostile, at: now)
    func report(_ identity: Identity, _ gates: GateSet, for receiver: GateSet = .all) {
      let presence = Presence(
        identity: hostile, claim: nil, channel: nil, gates: receiver, takesOver: false,
        memberGates: MemberGates(identity, gates))
      ensemble.received(presence, from: hostile, at: now)
    }
    // Identities that are no members, and the identity of the sender.
    for identity in [Identity(81), Identity(0), Identity(.max), hostile] { report(identity, .all) }
    #expect(ensemble.takes(of: hostile) == [local: .all])
    // The gates for the receiver itself are in the presence, which decides.
    report(local, .none, for: GateSet(bits: 3))
    #expect(ensemble.takes(of: hostile) == [local: GateSet(bits: 3)])
    for number in UInt64(1)...80 { report(Identity(number), GateSet(bits: 5)) }
    #expect(ensemble.takes(of: hostile).count == 64)
    // A known entry changes, also if there are 64.
    report(Identity(1), .none)
    #expect(ensemble.takes(of: hostile)[Identity(1)] == GateSet.none)
    // After a peer has left, there is room for another one.
    #expect(ensemble.takes(of: hostile)[Identity(80)] == nil)
    ensemble.left(Identity(1), at: now)
    report(Identity(80), .all)
    let takes = ensemble.takes(of: hostile)
    #expect(takes[Identity(1)] == nil && takes[Identity(80)] == .all && takes.count == 64)
    #expect(ensemble.rejected == 0)
    ensemble.left(hostile, at: now)
    #expect(ensemble.takes(of: hostile).isEmpty)
  }
}
