import Simulation
import Testing

@Suite struct VirtualAddressTests {
  @Test func portsOfOneHostAreOfOneHost() {
    let a = VirtualAddress(host: 1, port: .control)
    #expect(a.isSameHost(as: VirtualAddress(host: 1, port: .data)))
    #expect(!a.isSameHost(as: VirtualAddress(host: 2, port: .control)))
  }
}
