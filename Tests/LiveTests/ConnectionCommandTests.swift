import Audio
import Foundation
import Logging
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Rhythm
import Testing
import _TestSupport
import _TestTraits

@testable import Engine
@testable import Transports

/// Tests of the commands that connect to a discovered host and that set the connection policy. The tests themselves report the
/// announcements to the peer. `Tests/ConsoleTests/Page/hosts.mjs` tests the commands with Avahi.
@Suite(.ownThreads) struct ConnectionCommandTests {
  /// A peer whose commands the test executes. The test also reports to the peer which hosts discovery has found and lost.
  private final class Subject {
    let peer: Peer
    private let capture = LogCapture()

    init(_ name: String, policy: ConnectionPolicy = .anyone, discovery: PeerConfiguration.Discovery = .announces) throws
    {
      _ = try LivePeer.state.get()
      let text = "name: tick\ndescription: A stick.\ntempo: 120\nplay: { always: { stick: xxxx xxxx xxxx xxxx } }\n"
      var configuration = PeerConfiguration(
        name: name, tempo: .standard, patch: try PatchLoader.patch(from: text, file: "tick.yaml"), patchName: "tick",
        soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
      (configuration.port, configuration.policy, configuration.discovery) = (0, policy, discovery)
      let capture = capture
      peer = try Peer(configuration, log: Logger(label: "test") { _ in LogCaptureHandler(capture) })
    }

    deinit { try? peer.leave() }

    var log: [String] { capture.lines }
    var now: Instant { MonotonicClock.now }

    /// Reports that discovery has found a host. A host without an identity is not a Tutti peer.
    func found(_ name: String, at address: SocketAddress, identity: UInt64? = nil) {
      _ = peer.surroundings.handle(.found(service(name, at: address, identity: identity)), in: peer.core, at: now)
    }

    /// Reports that the announcement of a host has disappeared.
    func lost(_ name: String, at address: SocketAddress, identity: UInt64? = nil) {
      _ = peer.surroundings.handle(.lost(service(name, at: address, identity: identity)), in: peer.core, at: now)
    }

    private func service(_ name: String, at address: SocketAddress, identity: UInt64?) -> Discovery.Service {
      Discovery.Service(
        name: name, host: "\(name).local", address: address, identity: identity,
        isLocal: identity == peer.identity.bits)
    }

    /// The addresses that the peer invites.
    var invited: [SocketAddress] { peer.core.invitations.targets.map(\.place.control) }
    var hosts: [PeerSnapshot.Host]? { peer.snapshot(at: now).hosts }
  }

  // The addresses of three hosts. Each test states which host has which address and identity.
  private let gear = SocketAddress(host: 0x0A00_0009, port: 5004)
  private let ada = SocketAddress(host: 0x0A00_0001, port: 5004)
  private let ben = SocketAddress(host: 0x0A00_0002, port: 5004)

  @Test func onlyAnnouncedHostsCanBeInvited() throws {
    let subject = try Subject("connect-announced")
    #expect(subject.hosts == [])
    subject.found("Gear", at: gear)
    subject.found("Ben", at: ben, identity: 2)
    subject.found("connect-announced", at: ada, identity: subject.peer.identity.bits)
    #expect(subject.hosts?.map(\.name) == ["Ben", "Gear"], "the local peer is not listed")
    // Discovery announces this peer, but connects to no other one.
    #expect(subject.invited.isEmpty)

    for name in ["10.0.0.9:5004", "Gear.local", "gear", ""] {
      subject.peer.execute(.connect(toHost: name))
      #expect(subject.log.last == "host \(name): not announced on the network any longer; choose another host")
    }
    #expect(subject.invited.isEmpty)

    subject.peer.execute(.connect(toHost: "Gear"))
    #expect(subject.log.last == "host Gear: this peer sends invitations to 10.0.0.9:5004 until the host answers")
    #expect(subject.invited == [gear] && subject.hosts?.map(\.isInvited) == [false, true])
    subject.peer.execute(.connect(toHost: "Gear"))
    #expect(subject.invited == [gear], "a second command adds no invitation")

    subject.lost("Gear", at: gear)
    #expect(subject.hosts?.map(\.name) == ["Ben"])
    subject.lost("Ben", at: ben, identity: 2)
    subject.peer.execute(.connect(toHost: "Ben"))
    #expect(subject.invited == [gear] && subject.hosts == [])
  }

  /// The player may type the name of an announced host, an address, or a name. A name that nobody knows is reported, and the peer runs on.
  @Test func typedHostIsSought() throws {
    let subject = try Subject("connect-typed")
    subject.found("Gear", at: gear)
    subject.peer.execute(.seek(host: "Gear"))
    subject.peer.execute(.seek(host: "10.0.0.2"))
    #expect(Set(subject.invited) == [gear, ben])
    subject.peer.execute(.seek(host: "ben:70000"))
    #expect(subject.log.last?.hasPrefix("address ben:70000: neither HOST nor HOST:PORT") == true)
    subject.peer.execute(.seek(host: "no.such.host.invalid"))
    #expect(subject.log.last == "no.such.host.invalid: this peer looks for a machine of this name")
    let limit = subject.now + .seconds(Child.patience.components.seconds)
    var lines: [String] = []
    while lines.isEmpty, subject.now < limit {
      Thread.sleep(forTimeInterval: 0.01)
      lines = subject.peer.surroundings.advance(subject.peer.core, at: subject.now).map(\.line)
    }
    #expect(lines.count == 1 && lines[0].hasPrefix("no.such.host.invalid: no machine of this name was found ("))
    #expect(lines.last?.hasSuffix("give its address, for example connect 192.168.1.21:5004") == true, "\(lines)")
    #expect(Set(subject.invited) == [gear, ben])
  }

  @Test func peerWithoutDiscoveryHasNoListOfHosts() throws {
    let subject = try Subject("connect-off", discovery: .off)
    #expect(subject.hosts == nil)
  }

  /// Discovery connects automatically to the peers that the policy admits. A change of the policy takes effect on the peers that were
  /// discovered before.
  @Test func policyAppliesToDiscoveredPeers() throws {
    let subject = try Subject("policy-discovered", policy: .none, discovery: .connects)
    subject.found("Ben", at: ben, identity: 2)
    subject.found("Gear", at: gear)
    #expect(subject.invited.isEmpty)
    subject.peer.execute(.policy(.anyone))
    #expect(subject.invited == [ben], "only Tutti peers are invited automatically")
    #expect(
      subject.log.last == "connections: from now on, new connections are accepted from anyone; existing "
        + "sessions continue")
    subject.peer.execute(.connect(toHost: "Gear"))
    subject.peer.execute(.policy(.none))
    #expect(subject.invited == [gear], "the policy does not apply to the hosts that the player has chosen")
    #expect(
      subject.log.last == "connections: from now on, new connections are accepted from nobody; existing "
        + "sessions continue")
    let snapshot = subject.peer.snapshot(at: subject.now)
    #expect(snapshot.policy == .none && !snapshot.hasContacts)
  }

  @Test func policyContactsNeedsAContactFile() throws {
    let subject = try Subject("policy-no-contacts")
    subject.peer.execute(.policy(.contacts))
    #expect(
      subject.log.last
        == "policy contacts: not possible now, because no contacts file was read at the start; restart "
        + "with --policy contacts")
    #expect(subject.peer.snapshot(at: subject.now).policy == .anyone && subject.peer.core.endpoint.admits("Eve", ben))
  }

  /// The peer keeps its contacts while another policy applies. It also keeps the addresses of the contacts that were resolved after
  /// the start. Ada is a contact by its name, and Ben by its address. Eve is no contact.
  @Test func contactsAreKept() throws {
    let folder = try TemporaryFolder()
    try "name Ada\nhost 10.0.0.2\n".write(toFile: folder.path("contacts"), atomically: true, encoding: .utf8)
    let subject = try Subject(
      "policy-contacts", policy: .contacts(try ContactFile(path: folder.path("contacts"))), discovery: .connects)
    func admits(_ name: String, _ address: SocketAddress) -> Bool { subject.peer.core.endpoint.admits(name, address) }
    subject.found("Ben", at: ben, identity: 2)
    subject.found("Eve", at: gear, identity: 3)
    // On a busy machine, the address of the host line becomes known only after the start of the peer, and after the announcement.
    let limit = subject.now + .seconds(Child.patience.components.seconds)
    while !admits("Ben", ben), subject.now < limit {
      Thread.sleep(forTimeInterval: 0.01)
      _ = subject.peer.surroundings.advance(subject.peer.core, at: subject.now)
    }
    #expect(admits("Ada", gear) && admits("Ben", ben) && !admits("Eve", gear) && subject.invited == [ben])
    subject.peer.execute(.policy(.anyone))
    #expect(admits("Eve", gear) && Set(subject.invited) == [ben, gear])
    subject.peer.execute(.policy(.contacts))
    #expect(admits("Ada", gear) && admits("Ben", ben) && !admits("Eve", gear) && subject.invited == [ben])
    #expect(subject.peer.snapshot(at: subject.now).hasContacts)
    subject.peer.execute(.policy(.none))
    #expect(!admits("Ada", gear) && subject.invited.isEmpty)
  }

  /// Ben is in session when Ada's policy changes, and stays in session. Cleo, who comes later, is refused until the policy changes
  /// again.
  @Test func policyAppliesToInvitationsAndNotToSessions() async throws {
    let folder = try TemporaryFolder()
    let ada = try LivePeer("policy-ada", folder: folder)
    let ben = try LivePeer("policy-ben", folder: folder, connect: [ada.port])
    try await ada.waitForLog("policy-ben at")
    ada.mailbox.post(.policy(.none))
    try await ada.waitForLog("accepted from nobody")
    let cleo = try LivePeer("policy-cleo", folder: folder, connect: [ada.port])
    try await ada.waitForLog("this peer refused its invitation because of --policy none")
    #expect(!ada.log.contains { $0.contains("policy-cleo at") && $0.contains("joined") })
    ada.mailbox.post(.policy(.anyone))
    // The first of the two lines was the refusal.
    try await ada.waitForLog("policy-cleo at", times: 2)
    try await cleo.waitForLog("joined")
    #expect(!ada.log.contains { $0.contains("policy-ben") && $0.contains(" left") }, "\(ada.log)")
    _ = try (cleo.leave(), ben.leave(), ada.leave())
  }
}
