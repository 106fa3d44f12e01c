import RTPMIDI
import Testing
import _TestSupport

@testable import Engine
@testable import Transports

/// Tests of the list of discovered services (``DiscoveredServices``).
@Suite struct DiscoveredServicesTests {
  /// A service on the host 10.0.0.`number`. `identity` is nil for a standard device.
  private func service(
    _ name: String, _ number: UInt32 = 1, identity: UInt64? = nil, isLocal: Bool = false
  ) -> Discovery.Service {
    Discovery.Service(
      name: name, host: "\(name).local", address: SocketAddress(host: 0x0A00_0000 + number, port: 5004),
      identity: identity, isLocal: isLocal)
  }

  private func hosts(_ services: DiscoveredServices) -> (first: [PeerSnapshot.Host], further: Int) {
    services.hosts(isInSession: { _ in false }, isInvited: { _ in false })
  }

  @Test func hostsAreSortedByNameWithoutTheLocalPeer() {
    var services = DiscoveredServices()
    services.found(service("Eve", 5, identity: 5))
    services.found(service("Gear", 7))
    services.found(service("Ada", 1, identity: 1, isLocal: true))
    services.found(service("Ben", 2, identity: 2))
    let hosts = hosts(services)
    #expect(hosts.first.map(\.name) == ["Ben", "Eve", "Gear"] && hosts.further == 0)
    #expect(hosts.first.map(\.isTuttiPeer) == [true, true, false])
  }

  @Test func hostsInSessionAreLeftOutAndInvitedHostsAreMarked() {
    var services = DiscoveredServices()
    for (number, name) in ["Ada", "Ben", "Cleo"].enumerated() { services.found(service(name, UInt32(number))) }
    let (first, further) = services.hosts(isInSession: { $0.name == "Ada" }, isInvited: { $0.name == "Cleo" })
    #expect(first.map(\.name) == ["Ben", "Cleo"] && first.map(\.isInvited) == [false, true] && further == 0)
  }

  /// Five of the 100 hosts are in session, and do not count. The list has 64 of the other 95 hosts, which leaves 31 further hosts.
  @Test func listIsBounded() {
    var services = DiscoveredServices()
    for number in (0..<100).reversed() { services.found(service("Host \(number)", UInt32(number))) }
    let (first, further) = services.hosts(isInSession: { $0.address.low & 0xFF < 5 }, isInvited: { _ in false })
    #expect(first.count == PeerSnapshot.maximumHosts && first.count == 64 && further == 31)
    #expect(first.map(\.name) == first.map(\.name).sorted() && !first.contains { $0.name == "Host 3" })
  }

  /// A device that restarts is lost and found again, with the same name and another address. The order of the two events does not
  /// matter.
  @Test(arguments: [true, false]) func changedServiceHasItsNewAddress(isLostFirst: Bool) {
    var services = DiscoveredServices()
    let (former, changed) = (service("Gear", 1), service("Gear", 2))
    services.found(former)
    if isLostFirst { services.lost(former) }
    services.found(changed)
    if !isLostFirst { services.lost(former) }
    #expect(services["Gear"] == changed && services.all.count == 1)
    services.lost(changed)
    #expect(services["Gear"] == nil && services.all.isEmpty)
  }

  /// For any sequence of events, the list contains the service that was found last under each name, unless it was lost.
  @Test(arguments: UInt64(1)...20) func listMatchesADictionary(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var services = DiscoveredServices()
    var expected: [String: Discovery.Service] = [:]
    for _ in 0..<500 {
      let service = service("\(random.integer(in: 0...20))", UInt32(random.integer(in: 0...2)))
      if random.next() & 1 == 0 {
        services.found(service)
        expected[service.name] = service
      } else {
        services.lost(service)
        if expected[service.name] == service { expected[service.name] = nil }
      }
    }
    #expect(services.all == expected.values.sorted { $0.name < $1.name }, "seed \(seed)")
    for name in (0...20).map(String.init) { #expect(services[name] == expected[name], "seed \(seed)") }
  }
}
