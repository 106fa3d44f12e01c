import Testing

@testable import Console

/// Tests of ``LocalAddresses``, which selects the address of the machine that phones in the same network can most likely reach. `routed`
/// is the address on the interface of the default route.
@Suite struct LocalAddressesTests {
  /// An address of a network interface. `isDevice` is true for an adapter, and false for a bridge or a tunnel. `broadcasts` is false for a
  /// tunnel, which has no broadcast address.
  private func candidate(
    _ address: String, isDevice: Bool = false, broadcasts: Bool = true
  ) -> LocalAddresses.Candidate {
    LocalAddresses.Candidate(address: address, isDevice: isDevice, broadcasts: broadcasts)
  }

  @Test func adapterIsPreferredToBridgesAndTunnels() {
    let candidates = [
      candidate("127.0.0.1"), candidate("172.17.0.1"), candidate("10.8.0.2", broadcasts: false),
      candidate("169.254.3.4", isDevice: true), candidate("192.168.1.20", isDevice: true),
    ]
    // The default route leads through the tunnel. The address 169.254.3.4 is link-local, so it is never preferred.
    #expect(LocalAddresses.preferred(of: candidates, routed: "10.8.0.2") == "192.168.1.20")
  }

  @Test func defaultRouteDecidesBetweenEqualInterfaces() {
    let adapters = [candidate("192.168.1.20", isDevice: true), candidate("10.0.0.7", isDevice: true)]
    #expect(LocalAddresses.preferred(of: adapters, routed: "10.0.0.7") == "10.0.0.7")
    #expect(LocalAddresses.preferred(of: adapters, routed: nil) == "192.168.1.20")
    let bridges = [candidate("172.17.0.1"), candidate("172.17.0.9")]
    #expect(LocalAddresses.preferred(of: bridges, routed: "172.17.0.9") == "172.17.0.9")
  }

  @Test func machineWithoutANetworkHasNoAddress() {
    #expect(LocalAddresses.preferred(of: [candidate("127.0.0.1")], routed: nil) == nil)
  }
}
