import RTPMIDI
import Testing

@testable import Transports

@Suite struct ServiceChangesTests {
  private func service(_ name: String, port: UInt16 = 5004) -> Discovery.Service {
    Discovery.Service(
      name: name, host: "ada.local", address: SocketAddress(host: 0x0A00_0001, port: port), identity: nil, isOwn: false)
  }

  @Test func onlyDifferencesAreReported() {
    var findings = Findings()
    #expect(findings.drain().isEmpty)
    #expect(findings.set("Ada", service("Ada")) && findings.set("Ben", service("Ben")))
    #expect(findings.drain() == [.found(service("Ada")), .found(service("Ben"))])
    #expect(!findings.set("Ada", service("Ada")) && findings.drain().isEmpty)
    // Lost and found again between two calls: no event.
    #expect(findings.set("Ada", nil) && findings.set("Ada", service("Ada")))
    #expect(findings.drain().isEmpty)
    // Restarted on another port.
    _ = findings.set("Ada", service("Ada", port: 6000))
    #expect(findings.drain() == [.lost(service("Ada")), .found(service("Ada", port: 6000))])
    findings.removeAll()
    #expect(findings.drain() == [.lost(service("Ada", port: 6000)), .lost(service("Ben"))])
    #expect(findings.drain().isEmpty)
  }

  @Test func servicesWithTheSamePrintableNameAreLostWithTheLast() {
    var findings = Findings()
    _ = findings.set("Ada\u{1}", service("Ada?"))
    _ = findings.set("Ada\u{2}", service("Ada?"))
    #expect(findings.drain() == [.found(service("Ada?"))])
    _ = findings.set("Ada\u{1}", nil)
    #expect(findings.drain().isEmpty)
    _ = findings.set("Ada\u{2}", nil)
    #expect(findings.drain() == [.lost(service("Ada?"))])
  }

  @Test func unavailabilityAndNewNameAreReportedOnce() {
    var findings = Findings()
    findings.setUnavailable("no daemon")
    findings.setRenamed("Ada #2")
    findings.setRenamed("Ada #3")
    #expect(findings.drain() == [.unavailable("no daemon"), .renamed("Ada #3")])
    #expect(findings.drain().isEmpty)
  }
}
