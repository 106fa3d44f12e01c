import MIDI
import MusicalTime
import PeerProtocol
import Testing

@testable import Ensemble

/// A hostile device in an open group claims the rhythm again and again with rising terms, and leaves.
///
/// Players 0 and 1 are in session with each other and with the hostile device, player 2. Player 0 leads the rhythm. Player 3 is new: it
/// joins when the hostile device has left.
@Suite struct HostileTermTests {
  /// The amounts by which the hostile device raises its term with each message. The last one leads to the highest possible term.
  private static let jumps: [UInt64] = [1, 1 << 20, 1 << 40, Claim.terms.upperBound]
  private static let lengths: [Nanoseconds] = [.seconds(1), .seconds(8), .seconds(60)]

  /// Whether one player leads and the others follow it. Player 2 does not count.
  private func areTogether(_ band: VirtualBand) -> Bool {
    let honest = [0, 1, 3]
    guard let master = honest.first(where: { band.role($0) == .master }) else { return false }
    return honest.allSatisfy { $0 == master || band.role($0) == .follower(of: band.identity(master)) }
  }

  /// The hostile device sends 335 claims per second, and its presence four times a second.
  private func attack(_ band: inout VirtualBand, for length: Nanoseconds, jump: UInt64) {
    let hostile = band.identity(2)
    var term: UInt64 = 0
    let count = length.count * 335 / 1_000_000_000
    for n in 0..<count {
      term = min(term, Claim.terms.upperBound - jump) + jump
      let claim = Claim(term: term, identity: hostile)
      for player in [0, 1] {
        band.command(player) {
          $0.received(
            TimelineMessage(
              claim: claim, revision: UInt32(n), start: Tick(0), end: Tick(.max),
              tempo: TempoMap(Timeline(tempo: .standard, tick: Tick(0), at: $1))), from: hostile, at: $1)
          guard n % 80 == 0 else { return }
          $0.received(
            Presence(identity: hostile, claim: claim, channel: nil, gates: .all, takesOver: true), from: hostile, at: $1
          )
        }
      }
      band.run(for: Nanoseconds(1_000_000_000 / 335))
    }
  }

  /// After the attack, the new player and all others follow one of the honest players within two seconds. When the rhythm has stopped,
  /// the new player, and a player that has been restarted with its stored bound, can start it.
  @Test(arguments: UInt64(1)...100) func groupRecoversWithinTwoSecondsOfTheAttack(seed: UInt64) throws {
    let jump = Self.jumps[Int(seed % 4)]
    let length = Self.lengths[Int(seed % 3)]
    var band = VirtualBand(players: 4, seed: seed, joined: false)
    band.run(for: .seconds(1))
    for (a, b) in [(0, 1), (0, 2), (1, 2)] { band.joinEachOther(a, b) }
    band.run(for: .milliseconds(300))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    band.run(for: .seconds(3))
    band.crash(2)
    attack(&band, for: length, jump: jump)
    #expect(band.masters == [], "seed \(seed): the hostile device leads during its attack")
    #expect(band.players[0].events.contains(.outranked(by: band.identity(2), .claim)))
    // The hostile device says goodbye, or disappears.
    if seed % 2 == 0 { band.leave(2) }
    for other in [0, 1] { band.joinEachOther(3, other) }
    band.run(for: .seconds(2))
    #expect(areTogether(band), "seed \(seed)")
    let master = try #require(band.masters.first)
    // The rhythm goes on for 30 s.
    band.run(for: .seconds(30))
    #expect(band.masters == [master] && areTogether(band), "seed \(seed)")
    for starter in [3, 0] {
      try band.command(band.masters[0]) { try $0.stop(now: $1) }
      band.run(for: .seconds(3))
      #expect([0, 1, 3].allSatisfy { band.role($0) == .idle }, "seed \(seed)")
      if starter == 0 {
        try band.restart(0)
        band.run(for: .seconds(1))
      }
      try band.command(starter) { try $0.start(tempo: .standard, at: $1) }
      band.run(for: .seconds(2))
      #expect(band.masters == [starter] && areTogether(band), "seed \(seed)")
    }
  }
}
