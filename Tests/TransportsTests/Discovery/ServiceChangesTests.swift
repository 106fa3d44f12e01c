import RTPMIDI
import Testing

@testable import Transports

/// The events that result from changes of the services since the previous call of `drain`. `set` returns whether the service has
/// changed.
@Suite struct ServiceChangesTests {
  private func service(_ name: String, port: UInt16 = 5004) -> Discovery.Service {
    Discovery.Service(
      name: name, host: "ada.local", address: SocketAddress(host: 0x0A00_0001, port: port), identity: nil,
      isLocal: false)
  }

  @Test func onlyDifferencesAreReported() {
    var changes = ServiceChanges()
    #expect(changes.drain().isEmpty)
    #expect(changes.set("Ada", service("Ada")) && changes.set("Ben", service("Ben")))
    #expect(changes.drain() == [.found(service("Ada")), .found(service("Ben"))])
    #expect(!changes.set("Ada", service("Ada")) && changes.drain().isEmpty)
    // A service that is lost and found again between two calls causes no event.
    #expect(changes.set("Ada", nil) && changes.set("Ada", service("Ada")))
    #expect(changes.drain().isEmpty)
    // The service restarts on another port.
    _ = changes.set("Ada", service("Ada", port: 6000))
    #expect(changes.drain() == [.lost(service("Ada")), .found(service("Ada", port: 6000))])
    changes.removeAll()
    #expect(changes.drain() == [.lost(service("Ada", port: 6000)), .lost(service("Ben"))])
    #expect(changes.drain().isEmpty)
  }

  /// An event contains a name without characters that are not printable. Services whose names on the network differ
  /// only in such characters are therefore one service in the events. This service is lost when the last of them disappears.
  @Test func servicesWithTheSamePrintableNameAreReportedAsOne() {
    var changes = ServiceChanges()
    _ = changes.set("Ada\u{1}", service("Ada"))
    _ = changes.set("Ada\u{2}", service("Ada"))
    #expect(changes.drain() == [.found(service("Ada"))])
    _ = changes.set("Ada\u{1}", nil)
    #expect(changes.drain().isEmpty)
    _ = changes.set("Ada\u{2}", nil)
    #expect(changes.drain() == [.lost(service("Ada"))])
  }

  /// If the local peer was renamed twice since the previous call, only the newest name is reported.
  @Test func unavailabilityAndNewNameAreReportedOnce() {
    var changes = ServiceChanges()
    changes.setUnavailable("no daemon")
    changes.setRenamed("Ada #2")
    changes.setRenamed("Ada #3")
    #expect(changes.drain() == [.unavailable("no daemon"), .renamed("Ada #3")])
    #expect(changes.drain().isEmpty)
  }
}
