import Processes
import RTPMIDI
import Synchronization
import Testing

@testable import Transports

/// With the real Avahi daemon, on a network of their own. One after the other, because there is one bus. Where the
/// programs or the right to a network namespace are missing they are cancelled, with the reason.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DiscoveryTests {
  /// A peer's discovery, and what it has told.
  private final class Seeker {
    let discovery: Discovery
    private(set) var events: [Discovery.Event] = []
    private(set) var there: Set<Discovery.Service> = []
    private let changes: Changes
    final class Changes: Sendable { let count = Atomic(0) }

    init(_ name: String, port: UInt16, identity: UInt64, ipv6: Bool = true) {
      let changes = Changes()
      self.changes = changes
      discovery = Discovery(name: name, port: port, identity: identity, ipv6: ipv6) {
        changes.count.add(1, ordering: .relaxed)
      }
    }

    /// Waits until `holds`, or for 20 s.
    func wait(until holds: (Seeker) -> Bool) async throws -> Bool {
      for _ in 0..<1000 {
        let changes = changes.count.load(ordering: .relaxed)
        let news = discovery.drain()
        // Whoever only listens to the calls misses nothing.
        #expect(news.isEmpty || changes > 0)
        for event in news {
          events.append(event)
          switch event {
          case .found(let service): there.insert(service)
          case .lost(let service): #expect(there.remove(service) != nil)
          case .unavailable, .renamed: break
          }
        }
        if holds(self) { return true }
        try await Task.sleep(for: .milliseconds(20))
      }
      return false
    }

    func service(_ name: String) -> Discovery.Service? { there.first { $0.name == name } }
    var missing: [String] { events.compactMap { if case .unavailable(let line) = $0 { line } else { nil } } }
    var names: [String] { events.compactMap { if case .renamed(let name) = $0 { name } else { nil } } }
  }

  private func withNetwork(_ body: (TestNetwork) async throws -> Void) async throws {
    do {
      let network = try TestNetwork()
      try await body(network)
      try await network.stopDaemon()
      try await network.stopBus()
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
  }

  private let noDaemon =
    "discovery: the Avahi daemon does not run; start it (`systemctl start avahi-daemon`, package avahi-daemon), or name "
    + "peers with --connect HOST:PORT"

  @Test func whatIsMissingIsToldOnceAndBeginsWhenItComes() async throws {
    try await withNetwork { network in
      let ada = Seeker("Ada", port: 6004, identity: 1)
      defer { ada.discovery.stop() }
      #expect(try await ada.wait { !$0.missing.isEmpty })
      let error = #expect(throws: TransportError.self) { try Discovery.browse(for: .seconds(5)) }
      #expect(error?.description == noDaemon)
      // The bus comes, still without a daemon; then that one too.
      try await network.startBus()
      try await Task.sleep(for: .seconds(2))
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(ada.missing == [noDaemon])

      try await network.stopDaemon()
      #expect(try await ada.wait { $0.there.isEmpty && $0.missing.count == 2 })
      try await Task.sleep(for: .seconds(2))
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(try await network.browse().contains("IPv4 Ada 6004 \"tutti=0000000000000001\""))

      try await network.stopDaemon()
      try await network.stopBus()
      #expect(try await ada.wait { $0.there.isEmpty && $0.missing.count == 3 })
      try await Task.sleep(for: .seconds(2))
      try await network.startBus()
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(ada.missing == [noDaemon, noDaemon, noDaemon] && ada.names.isEmpty)
    }
  }

  @Test func peersFindEachOtherAndOtherGear() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      let ada = Seeker("Ada", port: 6004, identity: 0x0123_4567_89AB_CDEF)
      defer { ada.discovery.stop() }
      let ben = Seeker("Ben", port: 6006, identity: 2, ipv6: false)
      defer { ben.discovery.stop() }
      let gear = try network.publish("Gear; \\ Größe", port: 6008)
      for seeker in [ada, ben] {
        #expect(try await seeker.wait { $0.there.count == 3 }, "\(seeker.there)")
        for (name, port, identity) in [("Ada", 6004, 0x0123_4567_89AB_CDEF), ("Ben", 6006, 2)]
          as [(String, UInt16, UInt64)]
        {
          let service = try #require(seeker.service(name))
          #expect(service.identity == identity && service.host == "tutti-test.local")
          // By IPv4, though Ada is there by IPv6 too.
          #expect(service.address == SocketAddress(host: 0x0A4D_0001, port: port))
          #expect(service.isOwn == (seeker === (name == "Ada" ? ada : ben)))
        }
        let other = try #require(seeker.service("Gear; \\ Größe"))
        #expect(other.identity == nil && !other.isOwn && other.address.port == 6008)
      }
      let seen = try await network.browse()
      for family in ["IPv4", "IPv6"] { #expect(seen.contains("\(family) Ada 6004 \"tutti=0123456789abcdef\"")) }
      // What is not bound is not announced.
      #expect(seen.filter { $0.contains("Ben") } == ["IPv4 Ben 6006 \"tutti=0000000000000002\""])
      #expect(try Discovery.browse().count == 3)

      // Started anew on another port, under the same name.
      try await network.withdraw(gear)
      _ = try network.publish("Gear; \\ Größe", port: 6010)
      #expect(try await ada.wait { $0.there.contains { $0.address.port == 6010 } && $0.there.count == 3 })
      ben.discovery.stop()
      #expect(try await ada.wait { $0.service("Ben") == nil })
      #expect(try await network.browse().allSatisfy { !$0.contains("Ben") })
      #expect(ada.missing.isEmpty && ada.names.isEmpty && ada.discovery.ignoredCount == 0)
    }
  }

  @Test func aNameThatIsTakenGetsANumber() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      let first = Seeker("Ada", port: 6004, identity: 1)
      defer { first.discovery.stop() }
      #expect(try await first.wait { $0.service("Ada") != nil })
      let second = Seeker("Ada", port: 6006, identity: 2)
      defer { second.discovery.stop() }
      #expect(try await second.wait { !$0.names.isEmpty && $0.there.count == 2 })
      #expect(second.names == ["Ada #2"] && first.names.isEmpty)
      #expect(second.service("Ada #2")?.isOwn == true && second.service("Ada")?.identity == 1)
    }
  }

  @Test func aNameLongerThanARecordTakesIsCut() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      let seeker = Seeker(String(repeating: "ö", count: 200), port: 6004, identity: 1)
      defer { seeker.discovery.stop() }
      #expect(try await seeker.wait { $0.service(String(repeating: "ö", count: 31))?.isOwn == true })
      #expect(seeker.missing.isEmpty)
    }
  }

  @Test func byIPv6WithItsInterfaceWhereThereIsNothingElse() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon(ipv4: false)
      let seeker = Seeker("Ada", port: 6004, identity: 1)
      defer { seeker.discovery.stop() }
      guard try await seeker.wait(until: { $0.service("Ada") != nil }) else {
        try Test.cancel("no IPv6 here: the kernel has none, or it is switched off")
      }
      let address = try #require(seeker.service("Ada")?.address)
      #expect(address.isIPv6 && address.port == 6004 && address.isLinkLocal == (address.scope != 0))
    }
  }
}
