import NIOHTTP1
import Testing

@testable import Console

@Suite struct HostCheckTests {
  private let check = HostCheck(machine: "studio.example.org", port: 8080)

  @Test func ownNamesAndAddressesAreAdmitted() {
    for host in [
      "localhost:8080", "127.0.0.1:8080", "192.168.1.20:8080", "[::1]:8080", "[fe80::1]:8080", "studio:8080",
      "Studio.local:8080", "studio.example.org:8080",
    ] {
      #expect(check.admits(["Host": host]), "\(host)")
      #expect(check.admits(["Host": host, "Origin": "http://" + host]), "\(host)")
    }
  }

  @Test func foreignHostsAreRejected() {
    for host in [
      "attacker.example:8080", "localhost.attacker.example:8080", "localhost:80", "localhost", "127.0.0.1:8081", "",
      ":8080",
      "localhost:8080:8080", "localhost:http", "[::1:8080", "[::1]8080", "127.0.0.1.attacker.example:8080",
    ] { #expect(!check.admits(["Host": host]), "\(host)") }
    #expect(!check.admits([:]), "no host")
    #expect(!check.admits([("Host", "localhost:8080"), ("Host", "localhost:8080")].headers), "two hosts")
  }

  @Test func pagesOfOtherOriginsAreRejected() {
    for origin in [
      "http://attacker.example", "http://attacker.example:8080", "https://localhost:8080", "http://localhost:8081",
      "null", "",
      "http://127.0.0.1:8080",
    ] { #expect(!check.admits(["Host": "localhost:8080", "Origin": origin]), "\(origin)") }
  }
}

extension [(String, String)] {
  fileprivate var headers: HTTPHeaders { HTTPHeaders(self) }
}
