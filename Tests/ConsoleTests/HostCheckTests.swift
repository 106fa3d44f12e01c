import NIOHTTP1
import Testing

@testable import Console

/// Tests of ``HostCheck``, which rejects requests of pages of other servers. In an attack by DNS rebinding, the header `Host` contains the
/// name of the other server, and never an IP address. Therefore every IP address with the right port is admitted.
@Suite struct HostCheckTests {
  private let check = HostCheck(machine: "studio.example.org", port: 8080)

  @Test func ownNamesAndAddressesAreAdmitted() {
    for host in [
      "localhost:8080", "127.0.0.1:8080", "192.168.1.20:8080", "[::1]:8080", "[fe80::1]:8080", "studio:8080",
      "Studio.local:8080", "studio.example.org:8080",
    ] {
      #expect(check.admits(["Host": host], scheme: "http"), "\(host)")
      #expect(check.admits(["Host": host, "Origin": "http://" + host], scheme: "http"), "\(host)")
    }
  }

  @Test func foreignHostsAreRejected() {
    for host in [
      "attacker.example:8080", "localhost.attacker.example:8080", "localhost:80", "localhost", "127.0.0.1:8081", "",
      ":8080",
      "localhost:8080:8080", "localhost:http", "[::1:8080", "[::1]8080", "127.0.0.1.attacker.example:8080",
    ] { #expect(!check.admits(["Host": host], scheme: "http"), "\(host)") }
    #expect(!check.admits([:], scheme: "http"), "no host")
    let two = [("Host", "localhost:8080"), ("Host", "localhost:8080")].headers
    #expect(!check.admits(two, scheme: "http"), "two hosts")
  }

  @Test func pagesOfOtherOriginsAreRejected() {
    for origin in [
      "http://attacker.example", "http://attacker.example:8080", "https://localhost:8080", "http://localhost:8081",
      "null", "",
      "http://127.0.0.1:8080",
    ] { #expect(!check.admits(["Host": "localhost:8080", "Origin": origin], scheme: "http"), "\(origin)") }
  }

  @Test func schemeBelongsToTheOrigin() {
    let secure: HTTPHeaders = ["Host": "studio.local:8080", "Origin": "https://studio.local:8080"]
    #expect(check.admits(secure, scheme: "https"))
    #expect(!check.admits(secure, scheme: "http"))
    let standardPort = HostCheck(machine: "studio", port: 443)
    #expect(standardPort.admits(["Host": "studio.local"], scheme: "https"))
    #expect(!standardPort.admits(["Host": "studio.local"], scheme: "http"))
  }

  @Test func namesOfTheCertificateAreAdmitted() {
    let check = HostCheck(machine: "studio", certified: ["play.example.org", "*.band.example"], port: 8080)
    for host in ["play.example.org:8080", "ada.band.example:8080"] {
      #expect(check.admits(["Host": host], scheme: "https"), "\(host)")
    }
    for host in ["example.org:8080", "band.example:8080", "a.b.band.example:8080", "xplay.example.org:8080"] {
      #expect(!check.admits(["Host": host], scheme: "https"), "\(host)")
    }
  }
}

extension [(String, String)] {
  fileprivate var headers: HTTPHeaders { HTTPHeaders(self) }
}
