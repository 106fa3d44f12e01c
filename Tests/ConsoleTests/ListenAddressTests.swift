import Engine
import Testing

@testable import Console

/// Tests of ``ListenAddress``, the argument `[ADDRESS:]PORT` of --http. Without an address, the page is for this machine only.
@Suite struct ListenAddressTests {
  @Test func addressesAreParsed() throws {
    let cases: [(String, String, Int, Bool)] = [
      ("8080", "127.0.0.1", 8080, true), ("0.0.0.0:8080", "0.0.0.0", 8080, false), ("[::1]:0", "::1", 0, true),
      ("localhost:1", "127.0.0.1", 1, true), ("192.168.1.5:80", "192.168.1.5", 80, false),
    ]
    for (text, host, port, isLoopback) in cases {
      let address = try ListenAddress(text)
      #expect((address.host, address.port) == (host, port), "\(text)")
      #expect(address.isLoopback == isLoopback, "\(text)")
    }
  }

  @Test func wrongAddressesAreErrors() {
    for text in ["", ":", "http", "65536", "-1", "host.example:80", "1.2.3:80", "::1:80:", "8080:"] {
      #expect(throws: EngineError.self, "\(text)") { try ListenAddress(text) }
    }
  }
}
