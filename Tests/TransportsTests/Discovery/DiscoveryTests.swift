import RTPMIDI
import Synchronization
import Testing
import _TestSupport
import _TestTraits

@testable import Transports

/// Tests with the real Avahi daemon in a private network. They are serialized, because a process can use only one system bus.
/// If a program or the permission for a network namespace is missing, the tests are cancelled with the reason.
@Suite(.serialized, .ownThreads, .timeLimit(.minutes(5))) struct DiscoveryTests {
  /// The discovery of one peer, and the events that the discovery has reported.
  private final class Seeker {
    let discovery: Discovery
    private(set) var events: [Discovery.Event] = []
    /// The services that were found and not lost again.
    private(set) var present: Set<Discovery.Service> = []
    private let changes: Changes
    /// The number of calls of `onChange`.
    final class Changes: Sendable { let count = Atomic(0) }

    init(_ name: String, port: UInt16, identity: UInt64, ipv6: Bool = true) {
      let changes = Changes()
      self.changes = changes
      discovery = Discovery(name: name, port: port, identity: identity, ipv6: ipv6) {
        changes.count.add(1, ordering: .relaxed)
      }
    }

    /// Takes the new events until `condition` is true, for at most 20 s. Returns whether `condition` has become true.
    func wait(until condition: (Seeker) -> Bool) async throws -> Bool {
      for _ in 0..<1000 {
        let changes = changes.count.load(ordering: .relaxed)
        let drained = discovery.drain()
        // Events are always preceded by a call of `onChange`.
        #expect(drained.isEmpty || changes > 0)
        for event in drained {
          events.append(event)
          switch event {
          case .found(let service): present.insert(service)
          case .lost(let service): #expect(present.remove(service) != nil)
          case .unavailable, .renamed: break
          }
        }
        if condition(self) { return true }
        try await pause(for: .milliseconds(20))
      }
      return false
    }

    func service(_ name: String) -> Discovery.Service? { present.first { $0.name == name } }
    /// The messages of the events `unavailable`.
    var unavailabilities: [String] { events.compactMap { if case .unavailable(let line) = $0 { line } else { nil } } }
    /// The names under which the local peer was announced because its own name was in use.
    var newNames: [String] { events.compactMap { if case .renamed(let name) = $0 { name } else { nil } } }
  }

  /// Runs `body` in a new network, and then stops the daemon and the bus. Cancels the test if the network is not available.
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

  /// The message of the event `unavailable` and of the error while no daemon runs.
  private let noDaemon =
    "discovery: the Avahi daemon is not running; start it (`systemctl start avahi-daemon`, package avahi-daemon), or "
    + "connect to peers with --connect HOST:PORT"

  @Test func discoveryReportsAMissingDaemonOnceAndResumes() async throws {
    try await withNetwork { network in
      let ada = Seeker("Ada", port: 6004, identity: 1)
      defer { ada.discovery.stop() }
      #expect(try await ada.wait { !$0.unavailabilities.isEmpty })
      let error = #expect(throws: TransportError.self) { try Discovery.browse(for: .seconds(5)) }
      #expect(error?.description == noDaemon)
      // The daemon starts 2 s after the bus. Discovery tries again every second, so it also tries while the bus runs without a daemon.
      try await network.startBus()
      try await pause(for: .seconds(2))
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(ada.unavailabilities == [noDaemon])

      try await network.stopDaemon()
      #expect(try await ada.wait { $0.present.isEmpty && $0.unavailabilities.count == 2 })
      try await pause(for: .seconds(2))
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(try await network.browse().contains("IPv4 Ada 6004 \"tutti=0000000000000001\""))

      try await network.stopDaemon()
      try await network.stopBus()
      #expect(try await ada.wait { $0.present.isEmpty && $0.unavailabilities.count == 3 })
      try await pause(for: .seconds(2))
      try await network.startBus()
      try await network.startDaemon()
      #expect(try await ada.wait { $0.service("Ada") != nil })
      #expect(ada.unavailabilities == [noDaemon, noDaemon, noDaemon] && ada.newNames.isEmpty)
    }
  }

  @Test func peersFindEachOtherAndStandardDevices() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      let ada = Seeker("Ada", port: 6004, identity: 0x0123_4567_89AB_CDEF)
      defer { ada.discovery.stop() }
      let ben = Seeker("Ben", port: 6006, identity: 2, ipv6: false)
      defer { ben.discovery.stop() }
      let device = try network.publish("Gear; \\ Größe", port: 6008)
      for seeker in [ada, ben] {
        #expect(try await seeker.wait { $0.present.count == 3 }, "\(seeker.present)")
        for (name, port, identity) in [("Ada", 6004, 0x0123_4567_89AB_CDEF), ("Ben", 6006, 2)]
          as [(String, UInt16, UInt64)]
        {
          let service = try #require(seeker.service(name))
          #expect(service.identity == identity && service.host == "tutti-test.local")
          // The IPv4 address of the network, 10.77.0.1, is preferred, although Ada also has an IPv6 address.
          #expect(service.address == SocketAddress(host: 0x0A4D_0001, port: port))
          // Each peer recognises its own service.
          #expect(service.isLocal == (seeker === (name == "Ada" ? ada : ben)))
        }
        let other = try #require(seeker.service("Gear; \\ Größe"))
        #expect(other.identity == nil && !other.isLocal && other.address.port == 6008)
      }
      let seen = try await network.browse()
      for family in ["IPv4", "IPv6"] { #expect(seen.contains("\(family) Ada 6004 \"tutti=0123456789abcdef\"")) }
      // Ben has no IPv6 port, so its service is announced for IPv4 only.
      #expect(seen.filter { $0.contains("Ben") } == ["IPv4 Ben 6006 \"tutti=0000000000000002\""])
      #expect(try Discovery.browse().count == 3)

      // The device restarts on another port with the same name.
      try await network.withdraw(device)
      _ = try network.publish("Gear; \\ Größe", port: 6010)
      #expect(try await ada.wait { $0.present.contains { $0.address.port == 6010 } && $0.present.count == 3 })
      ben.discovery.stop()
      #expect(try await ada.wait { $0.service("Ben") == nil })
      #expect(try await network.browse().allSatisfy { !$0.contains("Ben") })
      #expect(ada.unavailabilities.isEmpty && ada.newNames.isEmpty && ada.discovery.ignoredCount == 0)
    }
  }

  @Test func nameInUseGetsTheBeginningOfTheIdentity() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      let first = Seeker("Ada", port: 6004, identity: 1)
      defer { first.discovery.stop() }
      #expect(try await first.wait { $0.service("Ada") != nil })
      let second = Seeker("Ada", port: 6006, identity: 0x2F3A << 48)
      defer { second.discovery.stop() }
      #expect(try await second.wait { !$0.newNames.isEmpty && $0.present.count == 2 })
      #expect(second.newNames == ["Ada 2f3a"] && first.newNames.isEmpty)
      #expect(second.service("Ada 2f3a")?.isLocal == true && second.service("Ada")?.identity == 1)
    }
  }

  @Test func longNameIsTruncated() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon()
      // A service name has at most 63 octets, and the name of a peer 48. The character ö has two octets in UTF-8, so 24 of them fit.
      let seeker = Seeker(String(repeating: "ö", count: 200), port: 6004, identity: 1)
      defer { seeker.discovery.stop() }
      #expect(try await seeker.wait { $0.service(String(repeating: "ö", count: 24))?.isLocal == true })
      #expect(seeker.unavailabilities.isEmpty)
    }
  }

  @Test func ipv6AddressWithInterfaceIsUsedWithoutIPv4() async throws {
    try await withNetwork { network in
      try await network.startBus()
      try await network.startDaemon(ipv4: false)
      let seeker = Seeker("Ada", port: 6004, identity: 1)
      defer { seeker.discovery.stop() }
      guard try await seeker.wait(until: { $0.service("Ada") != nil }) else {
        try Test.cancel("IPv6: the kernel does not support it, or it is disabled")
      }
      let address = try #require(seeker.service("Ada")?.address)
      // Only a link-local address has an interface.
      #expect(address.isIPv6 && address.port == 6004 && address.isLinkLocal == (address.scope != 0))
    }
  }
}
