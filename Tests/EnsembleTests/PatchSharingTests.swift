import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble

/// The transfer of the master's patch to its followers. Player 0 is the master.
@Suite struct PatchSharingTests {
  /// A patch of `length` random octets. Each seed gives another patch. The octets need not be a valid text, because only the
  /// engine reads the text.
  private func patch(_ length: Int, seed: UInt64) -> SharedPatch {
    var random = SplitMix(seed: seed)
    return SharedPatch((0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })!
  }

  /// A band in which player n plays `patches[n]`, or a patch that is not shared if the element is nil. Player 0 has just started
  /// the rhythm.
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
    band.players[n].outputs.count { if case .send(.patchRequest, _, _) = $0 { true } else { false } }
  }

  @Test(arguments: [1, 63, 64, 65, 1500, SharedPatch.maximumLength], [0, 0.2]) func followersReceiveThePatchOfTheMaster(
    length: Int, loss: Double
  ) throws {
    let shared = patch(length, seed: 7)
    var band = try makeBand([shared, patch(100, seed: 8), nil], seed: UInt64(length), loss: loss)
    // The longest patch has 512 parts and needs 32 requests. If parts of a request are lost, the next request follows 250 ms later.
    band.run(for: .seconds(length > 2000 ? 30 : 5))
    for n in 1...2 { #expect(received(by: n, band) == [shared], "player \(n)") }
    #expect(received(by: 0, band) == [] && requests(of: 0, band) == 0, "the master keeps its patch")
    // One request is needed for each 16 parts. Both followers send requests at the same time. The master sends a limited number of
    // parts per second, so it ignores some requests, and the followers repeat them. At most twice as many requests are expected.
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

  /// A player may choose a patch, except while the peer of this player plays the patch of its master.
  @Test func followerDoesNotChooseAPatch() throws {
    var band = try makeBand([patch(100, seed: 1), patch(100, seed: 2)], seed: 1)
    #expect(band.players[1].ensemble.choosesPatch)
    band.run(for: .seconds(2))
    #expect(!band.players[1].ensemble.choosesPatch && band.players[0].ensemble.choosesPatch)
    try band.command(0) { try $0.stop(now: $1) }
    band.run(for: .seconds(2))
    #expect(band.players[1].ensemble.choosesPatch)
  }

  /// The master changes its patch. The followers receive and play the new patch. Then the master is disconnected, and a follower
  /// takes over. Both remaining peers already play the same patch, so neither requests one.
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

  /// The engine of the follower refuses a patch, because it cannot play the text. The follower does not request this patch again,
  /// but requests a later patch.
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

  /// Parts from a peer that is not the master change nothing. If the octets of the parts from the master do not have the digest that the
  /// parts state, the follower refuses this digest. Later parts with this digest change nothing.
  @Test func forgedPartsAreNotPlayed() throws {
    let shared = patch(100, seed: 1)
    var band = try makeBand([shared, nil, nil], seed: 3)
    // Wait until the follower has begun to receive the patch, and then cut the network, so that only forged parts arrive.
    while band.players[1].ensemble.patches.reception == nil { band.run(for: .milliseconds(1)) }
    band.connected = { _, _ in false }
    let (master, other) = (band.identity(0), band.identity(2))
    // The digest of the shared patch, but zeros instead of its octets. The patch of 100 octets has two parts.
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
    // 20 000 octets have 313 parts of at most 64 octets. The last part has the number 312, and there is no part 511.
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
    let parts = band.players[0].outputs.compactMap {
      if case .send(.patchPart(let part), _, _) = $0 { part } else { nil }
    }
    // The 100 ms overlap with at most eleven intervals of ten milliseconds. In eleven intervals, 11 * 32 = 352 parts may be sent.
    // The lower limit shows that the master uses most of this rate.
    #expect((250...352).contains(parts.count) && parts.allSatisfy { $0.count == 313 })
  }
}
