import Ensemble
import MusicalTime
import RTPMIDI
import Testing
import Transports

@testable import Engine

/// Tests of ``PeerOptionsTable``. The player sets options for a peer by name, by host, or by host and port. The table determines to
/// which peers the options apply.
@Suite struct PeerOptionsTableTests {
  private let address = SocketAddress(host: 0xC0A8_0114, port: 5004)

  @Test func peerWithoutConfiguredOptionsHasTheDefaults() {
    #expect(PeerOptionsTable().options(for: "Ada", at: address) == PeerOptions())
    #expect(PeerOptionsTable().options(for: nil, at: address) == PeerOptions())
  }

  @Test(arguments: ["Ada", "192.168.1.20", "192.168.1.20:5004"])
  func optionsApplyByNameByHostOrByPort(key: String) {
    var table = PeerOptionsTable()
    table[key].playsByStamps = true
    table[key].takesJournal = false
    #expect(table[key] == PeerOptions(playsByStamps: true, takesJournal: false))
    #expect(table.options(for: "Ada", at: address) == PeerOptions(playsByStamps: true, takesJournal: false))
    #expect(table.options(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)) == PeerOptions())
  }

  @Test func optionsOfAHostApplyToAllItsPortsAndOptionsOfAPortToThisPort() {
    var table = PeerOptionsTable()
    table["192.168.1.20"].takesJournal = true
    table["192.168.1.20:5006"].takesJournal = false
    var other = address
    #expect(table.options(for: nil, at: other).takesJournal == true)
    other.port = 5006
    #expect(table.options(for: nil, at: other).takesJournal == false)
  }

  @Test func asymmetryAppliesOnlyToItsPeer() {
    var table = PeerOptionsTable()
    table["Ada"].asymmetry = .milliseconds(3)
    table["192.168.1.20"].asymmetry = .milliseconds(-1)
    #expect(table.options(for: "Ada", at: address).asymmetry == .milliseconds(3))
    #expect(table.options(for: "Ben", at: address).asymmetry == .milliseconds(-1))
    #expect(table.options(for: "Eve", at: SocketAddress(host: 0xC0A8_0115, port: 5006)).asymmetry == nil)
  }

  @Test func clockOffsetAppliesByNameOrAddress() {
    var table = PeerOptionsTable()
    table["drums"].clockOffset = .milliseconds(-12)
    table["192.168.1.20"].clockOffset = .milliseconds(5)
    #expect(table.options(for: "drums", at: address).clockOffset == .milliseconds(-12))
    #expect(table.options(for: "bass", at: address).clockOffset == .milliseconds(5))
    #expect(table.options(for: "bass", at: SocketAddress(host: 0xC0A8_0115, port: 5004)).clockOffset == nil)
  }

  /// Each option is looked up independently of the others.
  @Test func nameHasPrecedenceOverPortAndPortOverHost() {
    var table = PeerOptionsTable()
    table["192.168.1.20"] = PeerOptions(playsByStamps: true, takesJournal: true)
    #expect(table.options(for: "Ada", at: address) == PeerOptions(playsByStamps: true, takesJournal: true))
    table["192.168.1.20:5004"].playsByStamps = false
    #expect(table.options(for: "Ada", at: address) == PeerOptions(playsByStamps: false, takesJournal: true))
    table["Ada"] = PeerOptions(takesJournal: false)
    #expect(table.options(for: "Ada", at: address) == PeerOptions(playsByStamps: false, takesJournal: false))
  }

  @Test(arguments: [
    "fd00::20", "[fd00::20]", "FD00:0:0::0020", "[fd00::20]:5004", "[FD00:0::20]:5004",
  ])
  func allTextFormsOfAnIPv6AddressAreEquivalent(key: String) {
    var table = PeerOptionsTable()
    table[key].playsByStamps = true
    let remote = SocketAddress(high: 0xFD00 << 48, low: 0x20, port: 5004)
    #expect(table.options(for: nil, at: remote).playsByStamps == true)
  }

  /// Each text resembles an address or is empty, but is a possible name of a peer.
  @Test(arguments: ["1", "10.1", "0x7f", "a:b", "[x]", "", "1.2.3.4.5"])
  func textThatIsNoAddressIsAName(name: String) {
    var table = PeerOptionsTable()
    table[name].playsByStamps = true
    #expect(table.options(for: name, at: address).playsByStamps == true)
  }
}
