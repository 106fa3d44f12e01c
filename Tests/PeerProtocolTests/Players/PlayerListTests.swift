import MIDI
import PeerProtocol
import Testing
import _TestSupport

/// The list of the players of a peer, and their signs and energies.
@Suite struct PlayerListTests {
  private let peer = Identity(7)
  private var local: Player { Player(identity: peer, kind: .local, name: "Ada", sign: Sign(0)) }
  private var page: Player {
    Player(
      identity: Identity(0x0102_0304_0506_0708), kind: .page, moves: 3, name: "Bär", sign: Sign(9),
      instrument: .program(12),
      channel: Channel(4), partner: Identity(0x11))
  }

  @Test func layoutIsAsDocumented() {
    let list = PlayerList([local, nil, page])
    #expect(
      list.octets == [
        0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0x41, 0x64, 0x61,
        2, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 3, 1, 9, 12, 4, 0, 0, 0, 0, 0, 0, 0, 0x11, 4, 0x42, 0xC3, 0xA4, 0x72,
      ])
    #expect(PlayerList(octets: list.octets, of: peer) == list)
  }

  @Test func fullListDecodesToItself() {
    let name = String(repeating: "a", count: 48)
    let players = (0..<64).map { slot in
      Player(
        identity: Identity(UInt64(slot) + 7), kind: slot == 0 ? .local : .device, moves: .max, name: name,
        sign: Sign(slot))
    }
    let list = PlayerList(players)
    #expect(list.octets.count == 4736 && list.octets.count == PlayerList.maximumLength)
    #expect(PlayerList(octets: list.octets, of: peer) == list)
  }

  /// A name that is too long is cut before the first character that does not fit.
  @Test func longNameIsCutAtACharacter() throws {
    var player = local
    player.name = String(repeating: "a", count: 47) + "ü"
    let list = try #require(PlayerList(octets: PlayerList([player]).octets, of: peer))
    #expect(list.players.first?.player.name == String(repeating: "a", count: 47))
  }

  /// Each list has one fault.
  @Test func impossibleListsAreRefused() {
    func reads(_ players: [Player?], _ change: (inout [UInt8]) -> Void = { _ in }) -> Bool {
      var octets = PlayerList(players).octets
      change(&octets)
      return PlayerList(octets: octets, of: peer) != nil
    }
    var other = page
    other.identity = Identity(9)
    #expect(reads([local, page]) && !reads([local, page, other]), "two players on channel 4")
    other.channel = nil
    #expect(reads([local, page, other]))
    other.identity = page.identity
    #expect(!reads([local, page, other]), "one identity twice")
    other.identity = peer
    #expect(!reads([local, other]) && !reads([nil, other]), "a page with the identity of the peer")
    var stranger = local
    stranger.identity = Identity(8)
    #expect(!reads([stranger]) && !reads([nil, local]))
    for (index, value) in [(0, 64), (13, 3), (14, 64), (15, 129), (16, 10), (16, 1), (16, 17), (25, 0), (25, 49)] {
      #expect(!reads([local]) { $0[index] = UInt8(value) }, "octet \(index)")
    }
    #expect(!reads([local]) { $0[26] = 0xFF }, "the name is not UTF-8")
    #expect(!reads([local]) { $0[26] = 0x0A }, "the name contains a line feed, so its length would differ")
  }

  @Test(arguments: UInt64(1)...20) func damagedListsDoNotTrap(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<500 {
      var octets = PlayerList([local, page, nil, page]).octets
      for _ in 0...random.integer(in: 0...3) {
        octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      octets.removeLast(Int(random.next() % 3))
      guard let list = PlayerList(octets: octets, of: peer) else { continue }
      #expect(list.players.allSatisfy { (1...48).contains($0.player.name.utf8.count) })
    }
  }

  @Test func signsDiffer() {
    let pairs = (0..<64).map { "\(Sign($0).shape) \(Sign($0).colour)" }
    #expect(Set(pairs).count == 64 && Sign(64) == Sign(0))
    #expect(Set((0..<8).map { Sign($0).shape }).count == 8 && Set((0..<8).map { Sign($0).colour }).count == 8)
    #expect(Sign(0).name == "Yellow Star" && Sign(9).shape == .square && Sign(9).colour == .blue)
    for number in 0..<64 { #expect(Sign(Sign(number).shape, Sign(number).colour) == Sign(number)) }
  }

  @Test func energiesDecodeToThemselves() throws {
    let message = PlayerEnergies(list: 0x8102_0304_0506_0708, energies: [0, 127, 64])
    #expect(PlayerEnergies(systemExclusive: message.systemExclusive) == message)
    #expect(try PeerMessage(systemExclusive: message.systemExclusive) == .playerEnergies(message))
    let full = PlayerEnergies(list: 1, energies: Array(repeating: 1, count: 64))
    #expect(PlayerEnergies(systemExclusive: full.systemExclusive) == full)
    let tooLong = PlayerEnergies(list: 1, energies: Array(repeating: 1, count: 65))
    #expect(PlayerEnergies(systemExclusive: tooLong.systemExclusive) == nil)
  }
}
