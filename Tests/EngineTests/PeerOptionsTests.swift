import Ensemble
import MusicalTime
import RTPMIDI
import Testing
import Transports

@testable import Engine

/// For whom a options counts that the player has set.
@Suite struct MannerTests {
  private let address = SocketAddress(host: 0xC0A8_0114, port: 5004)

  @Test func whereNothingIsSetThePeerDecides() {
    #expect(PeerOptionsTable().options(for: "Ada", at: address) == PeerOptions())
    #expect(PeerOptionsTable().options(for: nil, at: address) == PeerOptions())
  }

  @Test(arguments: ["Ada", "192.168.1.20", "192.168.1.20:5004"]) func aPeerIsKnownByNameAndAddress(key: String) {
    var peerOptions = PeerOptionsTable()
    peerOptions[key].playsByStamps = true
    peerOptions[key].takesJournal = false
    #expect(peerOptions[key] == PeerOptions(playsByStamps: true, takesJournal: false))
    #expect(peerOptions.options(for: "Ada", at: address) == PeerOptions(playsByStamps: true, takesJournal: false))
    #expect(peerOptions.options(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)) == PeerOptions())
  }

  @Test func aHostIsMeantAtAnyPortAndAPortAlone() {
    var peerOptions = PeerOptionsTable()
    peerOptions["192.168.1.20"].takesJournal = true
    peerOptions["192.168.1.20:5006"].takesJournal = false
    var other = address
    #expect(peerOptions.options(for: nil, at: other).takesJournal == true)
    other.port = 5006
    #expect(peerOptions.options(for: nil, at: other).takesJournal == false)
  }

  @Test func anAsymmetryCountsForItsPeerAlone() {
    var peerOptions = PeerOptionsTable()
    peerOptions["Ada"].asymmetry = .milliseconds(3)
    peerOptions["192.168.1.20"].asymmetry = .milliseconds(-1)
    #expect(peerOptions.options(for: "Ada", at: address).asymmetry == .milliseconds(3))
    #expect(peerOptions.options(for: "Ben", at: address).asymmetry == .milliseconds(-1))
    #expect(peerOptions.options(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)).asymmetry == nil)
  }

  /// The narrower goes before the wider, each setting for itself.
  @Test func theNameGoesBeforeThePortAndThatBeforeTheHost() {
    var peerOptions = PeerOptionsTable()
    peerOptions["192.168.1.20"] = PeerOptions(playsByStamps: true, takesJournal: true)
    #expect(peerOptions.options(for: "Ada", at: address) == PeerOptions(playsByStamps: true, takesJournal: true))
    peerOptions["192.168.1.20:5004"].playsByStamps = false
    #expect(peerOptions.options(for: "Ada", at: address) == PeerOptions(playsByStamps: false, takesJournal: true))
    peerOptions["Ada"] = PeerOptions(takesJournal: false)
    #expect(peerOptions.options(for: "Ada", at: address) == PeerOptions(playsByStamps: false, takesJournal: false))
  }

  @Test(arguments: [
    "fd00::20", "[fd00::20]", "FD00:0:0::0020", "[fd00::20]:5004", "[FD00:0::20]:5004",
  ])
  func anIPv6AddressMayBeWrittenAsPeopleDo(key: String) {
    var peerOptions = PeerOptionsTable()
    peerOptions[key].playsByStamps = true
    let there = SocketAddress(high: 0xFD00 << 48, low: 0x20, port: 5004)
    #expect(peerOptions.options(for: nil, at: there).playsByStamps == true)
  }

  /// Numbers are names too.
  @Test(arguments: ["1", "10.1", "0x7f", "a:b", "[x]", "", "1.2.3.4.5"]) func whatIsNoAddressIsAName(name: String) {
    var peerOptions = PeerOptionsTable()
    peerOptions[name].playsByStamps = true
    #expect(peerOptions.options(for: name, at: address).playsByStamps == true)
  }
}
