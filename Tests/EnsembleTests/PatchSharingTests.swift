import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble

/// The transfer of the master's patch to its followers. Player 0 is the master.
@Suite struct PatchSharingTests {
  /// A text of `length` octets, which differs for each seed.
  private func patch(_ length: Int, seed: UInt64) -> SharedPatch {
    var random = SplitMix(seed: seed)
    return SharedPatch((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })!
  }

  /// A band in which each player has a patch of its own, and player 0 has started the rhythm.
  private func makeBand(_ patches: [SharedPatch?], seed: UInt64, loss: Double = 0) throws -> VirtualBand {
    var band = VirtualBand(players: patches.count, seed: seed, loss: loss)
    for (n, patch) in patches.enumerated() { band.command(n) { ensemble, _ in ensemble.play(patch) } }
    band.run(for: .seconds(1))
    try band.command(0) { try $0.start(tempo: .standard, at: $1) }
    return band
  }

  /// The patches that a player has received.
  private func received(by n: Int, _ band: VirtualBand) -> [SharedPatch] {
    band.players[n].events.compactMap { if case .patchReceived(let patch, _) = $0 { patch } else { nil } }
  }

  /// The number of patch requests that a player has sent.
  private func requests(of n: Int, _ band: VirtualBand) -> Int {
    band.players[n].outputs.count { if case .patchRequest = $0 { true } else { false } }
  }

  @Test(arguments: [1, 63, 64, 65, 1500, SharedPatch.maximumLength], [0, 0.2]) func followersReceiveThePatchOfTheMaster(
    length: Int, loss: Double
  ) throws {
    let shared = patch(length, seed: 7)
    var band = try makeBand([shared, patch(100, seed: 8), nil], seed: UInt64(length), loss: loss)
    band.run(for: .seconds(length > 2000 ? 30 : 5))
    for n in 1...2 { #expect(received(by: n, band) == [shared], "player \(n)") }
    #expect(received(by: 0, band) == [] && requests(of: 0, band) == 0, "the master keeps its patch")
    // One request is needed for each 16 parts. The rate of parts is limited, so the master ignores some requests: both followers send them
    // at once, and repeat them. At most two requests for each 16 parts are expected.
    if loss == 0 { #expect(requests(of: 1, band) <= 2 * ((shared.partCount + 15) / 16) + 1) }
  }

  @Test func tooLongPatchIsNotShared() {
    #expect(SharedPatch([UInt8](repeating: 1, count: SharedPatch.maximumLength + 1)) == nil && SharedPatch([]) == nil)
  }

  @Test func samePatchIsNotRequested() throws {
    var band = try makeBand([patch(100, seed: 1), patch(100, seed: 1)], seed: 1)
    band.run(for: .seconds(5))
    #expect(requests(of: 1, band) == 0)
  }

  @Test func playerMayKeepItsOwnPatch() throws {
    var band = try makeBand([patch(100, seed: 1), patch(100, seed: 2)], seed: 1)
    band.command(1) { ensemble, _ in ensemble.followsPatch = false }
    band.run(for: .seconds(5))
    #expect(requests(of: 1, band) == 0 && band.players[1].ensemble.choosesPatch)
  }

  /// A player may choose a patch, except while it plays the patch of its master.
  @Test func followerDoesNotChooseAPatch() throws {
    var band = try makeBand([patch(100, seed: 1), patch(100, seed: 2)], seed: 1)
    #expect(band.players[1].ensemble.choosesPatch)
    band.run(for: .seconds(2))
    #expect(!band.players[1].ensemble.choosesPatch && band.players[0].ensemble.choosesPatch)
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.choosesPatch)
  }

  /// The master changes its patch, the follower plays it, and then the master leaves. The new master has the same patch.
  @Test func patchStaysAfterAChangeOfTheMaster() throws {
    let (first, second) = (patch(100, seed: 1), patch(3000, seed: 2))
    var band = try makeBand([first, patch(50, seed: 3), patch(60, seed: 4)], seed: 9)
    band.run(for: .seconds(2))
    band.command(0) { ensemble, _ in ensemble.play(second) }
    band.run(for: .seconds(3))
    for n in 1...2 {
      #expect(received(by: n, band) == [first, second], "player \(n)")
      band.command(n) { ensemble, _ in ensemble.play(second) }
    }
    let counts = (1...2).map { requests(of: $0, band) }
    band.connected = { a, b in a != 0 && b != 0 }
    band.run(for: .seconds(6))
    #expect(band.masters.contains(1) || band.masters.contains(2))
    #expect((1...2).map { requests(of: $0, band) } == counts)
    for n in 1...2 { #expect(band.players[n].ensemble.patchDigest == second.digest) }
  }

  /// The follower refuses a patch, because it cannot play its text. It does not request this patch again, but it requests a
  /// later patch.
  @Test func refusedPatchIsNotRequestedAgain() throws {
    let (bad, good) = (patch(100, seed: 1), patch(100, seed: 2))
    var band = try makeBand([bad, nil], seed: 3)
    band.run(for: .seconds(2))
    band.command(1) { ensemble, _ in ensemble.refuse(bad.digest) }
    let count = requests(of: 1, band)
    band.run(for: .seconds(5))
    #expect(requests(of: 1, band) == count && count == 1)
    band.command(0) { ensemble, _ in ensemble.play(good) }
    band.run(for: .seconds(3))
    #expect(received(by: 1, band) == [bad, good])
  }

  /// Parts from a peer that is not the master change nothing. If the octets of the parts from the master do not have the stated digest,
  /// the digest is refused, and later parts with this digest change nothing.
  @Test func forgedPartsAreNotPlayed() throws {
    let shared = patch(100, seed: 1)
    var band = try makeBand([shared, nil, nil], seed: 3)
    // Until the follower has begun to receive.
    while band.players[1].ensemble.patches.reception == nil { band.run(for: .milliseconds(1)) }
    band.connected = { _, _ in false }
    let (master, other) = (band.identity(0), band.identity(2))
    let forged = (0...1).map {
      PatchPart(shared.digest, index: $0, of: 2, octets: [UInt8](repeating: 0, count: 64))
    }
    for part in forged { band.command(1) { $0.received(part, from: other, at: $1) } }
    #expect(received(by: 1, band) == [])
    let rejected = band.players[1].ensemble.rejected
    for part in forged { band.command(1) { $0.received(part, from: master, at: $1) } }
    #expect(received(by: 1, band) == [] && band.players[1].ensemble.rejected == rejected + 1)
    for index in 0...1 { band.command(1) { $0.received(shared.part(index), from: master, at: $1) } }
    #expect(received(by: 1, band) == [], "the digest was refused")
  }

  /// However many requests arrive, the master sends at most 32 parts in ten milliseconds.
  @Test func rateOfPartsIsLimited() throws {
    // 20 000 octets have 313 parts of at most 64 octets. Part 312 is the last one, and part 511 does not exist.
    let shared = patch(20_000, seed: 1)
    var band = try makeBand([shared, nil], seed: 3)
    band.run(for: .milliseconds(100))
    band.players[0].outputs = []
    let follower = band.identity(1)
    let start = band.now
    while band.now - start < .milliseconds(100) {
      for first in [0, 16, 300, 311, 312, 511] {
        band.command(0) { $0.received(PatchRequest(shared.digest, from: UInt16(first)), from: follower, at: $1) }
      }
      band.run(for: .milliseconds(1))
    }
    let parts = band.players[0].outputs.compactMap { if case .patchPart(let part, _) = $0 { part } else { nil } }
    // The 100 ms overlap with at most eleven intervals of ten milliseconds, in which 352 parts may be sent.
    #expect((250...352).contains(parts.count) && parts.allSatisfy { $0.count == 313 })
  }
}
