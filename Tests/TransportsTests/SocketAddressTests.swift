import Glibc
import RTPMIDI
import Testing
import Transports

/// Parsing, resolving and comparing of addresses. The port is 5004 if the text contains none.
@Suite struct SocketAddressTests {
  /// Port 65535 is invalid, because the data port would be 65536.
  @Test(arguments: [
    "", ":5004", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:0", "1.2.3.4:65535", "1.2.3.4:70000", "a:b:c", "[::1", "[]:5004",
    "[::1]5004", "[::1]:", "[::1]:0", "[::1]:65535", "[1.2.3.4]:5004", "[ada]:5004", "::1]:5004", "1:2:3:4:5:6:7:8:9",
    "fe80::1%", "[fe80::1%]:5004",
  ])
  func invalidAddressIsRejected(text: String) {
    let error = #expect(throws: TransportError.self) { try SocketAddress(resolving: text) }
    #expect(error?.description.contains("neither HOST nor HOST:PORT") == true)
    #expect(throws: TransportError.self) { try SocketAddress.parts(of: text) }
  }

  @Test(arguments: [
    ("10.99.0.2:5006", "10.99.0.2:5006"), ("127.0.0.1", "127.0.0.1:5004"), ("255.255.255.255:1", "255.255.255.255:1"),
    ("[::1]:5006", "[::1]:5006"), ("[::1]", "[::1]:5004"), ("::1", "[::1]:5004"), ("::", "[::]:5004"),
    ("[FD00:0:0::20]:65534", "[fd00::20]:65534"), ("2001:db8:1:2:3:4:5:6", "[2001:db8:1:2:3:4:5:6]:5004"),
    // An IPv4-mapped IPv6 address is the IPv4 address.
    ("[::ffff:192.168.1.20]:5004", "192.168.1.20:5004"),
    // An IPv4-compatible IPv6 address (a deprecated form) remains an IPv6 address.
    ("[::192.168.1.20]:5004", "[::192.168.1.20]:5004"),
    // The first interface is `lo` on every Linux system.
    ("[fe80::1%lo]:5004", "[fe80::1%lo]:5004"), ("fe80::1%1", "[fe80::1%lo]:5004"),
    // If no interface has the number, the number remains in the text.
    ("fe80::1%4294967295", "[fe80::1%4294967295]:5004"),
  ])
  func descriptionsOfAddressesResolveToTheSameAddress(text: String, description: String) throws {
    let address = try SocketAddress(resolving: text)
    #expect(address.description == description)
    #expect(try SocketAddress(resolving: description) == address)
  }

  /// The error of a name shows how to give the address instead, with the port that the user has given.
  @Test(arguments: [("no.such.host.invalid", 5004), ("no.such.host.invalid:5010", 5010)])
  func unknownHostIsReportedWithAnExample(text: String, port: Int) {
    let error = #expect(throws: TransportError.self) { try SocketAddress.all(resolving: text, form: "--connect ") }
    let line = error?.description ?? ""
    #expect(line.hasPrefix("no.such.host.invalid: no machine of this name was found ("))
    #expect(line.hasSuffix("; give its address, for example --connect 192.168.1.21:\(port)"), "\(line)")
  }

  @Test func addressHalvesAreInNetworkOrder() throws {
    #expect(try SocketAddress(resolving: "10.99.0.2:5006") == SocketAddress(host: 0x0A63_0002, port: 5006))
    let address = SocketAddress(high: 0x2001_0DB8_0001_0002, low: 0x0003_0004_0005_0006, port: 5004)
    #expect(try SocketAddress(resolving: "2001:db8:1:2:3:4:5:6") == address)
    // ::ffff:10.99.0.2, an IPv4-mapped IPv6 address.
    #expect(SocketAddress(high: 0, low: 0xFFFF_0A63_0002, port: 5006) == SocketAddress(host: 0x0A63_0002, port: 5006))
    #expect(!SocketAddress(host: 0, port: 0).isIPv6 && address.isIPv6)
  }

  @Test func hostsAreComparedByAddressAndInterface() {
    let address = SocketAddress(high: 0xFE80 << 48, low: 1, scope: 2, port: 5004)
    #expect(address.isSameHost(as: SocketAddress(high: 0xFE80 << 48, low: 1, scope: 2, port: 5005)))
    #expect(!address.isSameHost(as: SocketAddress(high: 0xFE80 << 48, low: 1, scope: 3, port: 5004)))
    #expect(!address.isSameHost(as: SocketAddress(high: 0xFE80 << 48, low: 2, scope: 2, port: 5004)))
    #expect(address != SocketAddress(high: 0xFE80 << 48, low: 1, scope: 2, port: 5005))
    // Only link-local addresses have an interface.
    #expect(SocketAddress(high: 0xFD00 << 48, low: 1, scope: 2, port: 1).scope == 0)
    // Link-local addresses are fe80::/10: fe80 to febf.
    let (last, next) = (0xFEBF << 48, 0xFEC0 << 48) as (UInt64, UInt64)
    #expect(SocketAddress(high: last, low: 1, scope: 2, port: 1).isLinkLocal)
    #expect(!SocketAddress(high: next, low: 1, scope: 2, port: 1).isLinkLocal)
  }

  @Test func hostNameIsResolved() throws {
    let address = try SocketAddress(resolving: "localhost:5006")
    #expect(["127.0.0.1:5006", "[::1]:5006"].contains(address.description))
  }

  @Test func linkLocalAddressRequiresAnExistingInterface() {
    let bare = #expect(throws: TransportError.self) { try SocketAddress(resolving: "[fe80::1]:5004") }
    #expect(bare?.description.contains("requires an interface; write for example [fe80::1%eth0]:5004") == true)
    let missing = #expect(throws: TransportError.self) { try SocketAddress(resolving: "fe80::1%nosuch0") }
    #expect(
      missing?.description == "interface nosuch0 of fe80::1%nosuch0: not found; give an interface that `ip link` lists")
  }

  @Test(arguments: ["fe80::1%0", "[fe80::1%0]:5004"]) func interfaceZeroIsRejected(text: String) {
    let error = #expect(throws: TransportError.self) { try SocketAddress(resolving: text) }
    #expect(error?.description.contains("requires an interface; write for example [fe80::1%eth0]:5004") == true)
  }

  @Test func firstAddressOfAHostNameIsTheResolvedOne() throws {
    let all = try SocketAddress.all(resolving: "localhost:5006")
    #expect(all.allSatisfy { ["127.0.0.1:5006", "[::1]:5006"].contains($0.description) })
    #expect(try all.first == SocketAddress(resolving: "localhost:5006"))
  }

  @Test(arguments: [
    ("FD00:0::20", "fd00::20"), ("[fd00::20]", "fd00::20"), ("[FD00::20]:5004", "[fd00::20]:5004"),
    ("::ffff:10.0.0.1", "10.0.0.1"), ("10.0.0.1:5004", "10.0.0.1:5004"), ("Ada", "Ada"), ("1", "1"),
    ("[fd00::20]:x", "[fd00::20]:x"), ("", ""),
  ])
  func onlyIPv6AddressesAreMadeCanonical(text: String, canonical: String) {
    #expect(SocketAddress.canonical(text) == canonical)
  }
}
