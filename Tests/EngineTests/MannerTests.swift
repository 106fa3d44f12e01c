import Ensemble
import MusicalTime
import RTPMIDI
import Testing
import Transports

@testable import Engine

/// For whom a manner counts that the player has set.
@Suite struct MannerTests {
  private let address = SocketAddress(host: 0xC0A8_0114, port: 5004)

  @Test func whereNothingIsSetThePeerDecides() {
    #expect(Manners().manner(for: "Ada", at: address) == Manner())
    #expect(Manners().manner(for: nil, at: address) == Manner())
  }

  @Test(arguments: ["Ada", "192.168.1.20", "192.168.1.20:5004"]) func aPeerIsKnownByNameAndAddress(key: String) {
    var manners = Manners()
    manners[key].playsByStamps = true
    manners[key].takesJournal = false
    #expect(manners[key] == Manner(playsByStamps: true, takesJournal: false))
    #expect(manners.manner(for: "Ada", at: address) == Manner(playsByStamps: true, takesJournal: false))
    #expect(manners.manner(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)) == Manner())
  }

  @Test func aHostIsMeantAtAnyPortAndAPortAlone() {
    var manners = Manners()
    manners["192.168.1.20"].takesJournal = true
    manners["192.168.1.20:5006"].takesJournal = false
    var other = address
    #expect(manners.manner(for: nil, at: other).takesJournal == true)
    other.port = 5006
    #expect(manners.manner(for: nil, at: other).takesJournal == false)
  }

  @Test func anAsymmetryCountsForItsPeerAlone() {
    var manners = Manners()
    manners["Ada"].asymmetry = .milliseconds(3)
    manners["192.168.1.20"].asymmetry = .milliseconds(-1)
    #expect(manners.manner(for: "Ada", at: address).asymmetry == .milliseconds(3))
    #expect(manners.manner(for: "Ben", at: address).asymmetry == .milliseconds(-1))
    #expect(manners.manner(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)).asymmetry == nil)
  }

  /// The narrower goes before the wider, each setting for itself.
  @Test func theNameGoesBeforeThePortAndThatBeforeTheHost() {
    var manners = Manners()
    manners["192.168.1.20"] = Manner(playsByStamps: true, takesJournal: true)
    #expect(manners.manner(for: "Ada", at: address) == Manner(playsByStamps: true, takesJournal: true))
    manners["192.168.1.20:5004"].playsByStamps = false
    #expect(manners.manner(for: "Ada", at: address) == Manner(playsByStamps: false, takesJournal: true))
    manners["Ada"] = Manner(takesJournal: false)
    #expect(manners.manner(for: "Ada", at: address) == Manner(playsByStamps: false, takesJournal: false))
  }

  @Test(arguments: [
    "fd00::20", "[fd00::20]", "FD00:0:0::0020", "[fd00::20]:5004", "[FD00:0::20]:5004",
  ])
  func anIPv6AddressMayBeWrittenAsPeopleDo(key: String) {
    var manners = Manners()
    manners[key].playsByStamps = true
    let there = SocketAddress(high: 0xFD00 << 48, low: 0x20, port: 5004)
    #expect(manners.manner(for: nil, at: there).playsByStamps == true)
  }

  /// Numbers are names too.
  @Test(arguments: ["1", "10.1", "0x7f", "a:b", "[x]", "", "1.2.3.4.5"]) func whatIsNoAddressIsAName(name: String) {
    var manners = Manners()
    manners[name].playsByStamps = true
    #expect(manners.manner(for: name, at: address).playsByStamps == true)
  }
}
