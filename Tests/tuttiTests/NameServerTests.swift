import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of a peer whose name server does not answer. The tests need root, because only root can give a process another
/// /etc/resolv.conf.
@Suite(.ownThreads, .serialized, .enabled(if: geteuid() == 0)) struct NameServerTests {
  /// A name server at 127.0.0.7 that receives queries and never answers.
  private final class SilentServer {
    private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)

    init() throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(53).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0007).bigEndian
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(status == 0, "port 53 of 127.0.0.7 must be free")
    }

    deinit { close(descriptor) }
  }

  /// Starts a peer that uses the silent name server.
  private func peer(
    _ name: String, attempts: Int = 5, _ arguments: [String], in folder: TemporaryFolder
  ) throws -> Child {
    try program(
      ["peer", "--name", name, "--port", "0", "--discovery", "off", "--json"] + arguments, attempts: attempts,
      in: folder)
  }

  /// Starts the program with the silent name server. The C library gives up after this number of attempts of 30 s each.
  private func program(_ arguments: [String], attempts: Int = 5, in folder: TemporaryFolder) throws -> Child {
    try "nameserver 127.0.0.7\noptions timeout:30 attempts:\(attempts)\n".write(
      toFile: folder.path("resolv.conf"), atomically: true, encoding: .utf8)
    let script = "mount --bind \(folder.path("resolv.conf")) /etc/resolv.conf && exec \"$@\""
    return try Child.tutti(arguments, prefix: ["unshare", "--mount", "sh", "-c", script, "sh"], in: folder)
  }

  /// The C library waits 150 s for the name server before it gives up. The peer must be ready, and must end, before this.
  @Test func peerStartsWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let ada = try peer("ada", ["--connect", "studio.example:5004"], in: folder)
    try await ada.wait(for: "to be ready") { ada.output.contains("\"ready\"") }
    // Different threads write standard output and standard error, so the error can appear after the event `ready`.
    try await ada.wait(for: "to report the host") {
      ada.errors.contains(
        "studio.example: no machine of this name was found (no answer from the name server); "
          + "give its address, for example --connect 192.168.1.21:5004")
    }
    ada.signal(SIGTERM)
    #expect(try await ada.status() == 0)
    #expect(!ada.errors.contains("name resolution"), "the C library gave up before the peer was ready")
    withExtendedLifetime(server) {}
  }

  /// `tutti measure network` cannot run on without an address. It says so before the C library gives up after 150 s.
  @Test func measurementReportsASilentNameServer() async throws {
    let server = try SilentServer()
    let ben = try program(["measure", "network", "ben"], in: TemporaryFolder())
    try await ben.wait(for: "to report the host") {
      ben.errors.contains("warning: ben: no machine of this name was found (no answer from the name server yet)")
    }
    ben.signal(SIGTERM)
    _ = try await ben.status()
    withExtendedLifetime(server) {}
  }

  /// A contact with a numeric address is accepted while the addresses of the named hosts are unknown.
  @Test func contactsAreAcceptedWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let hosts = (1...4).map { "host studio\($0).example\n" }.joined()
    try (hosts + "host 127.0.0.1\n").write(toFile: folder.path("contacts"), atomically: true, encoding: .utf8)
    let ada = try peer("ada", attempts: 1, ["--policy", "contacts", "--contacts", folder.path("contacts")], in: folder)
    var port: String?
    try await ada.wait(for: "to be ready") {
      port = ada.output.firstMatch(of: /"ready".*"port":(\d+)/).map { String($0.1) }
      return port != nil
    }
    let ben = try peer("ben", ["--connect", "127.0.0.1:\(port ?? "")"], in: TemporaryFolder())
    try await ada.wait(for: "to accept the contact") { ada.output.contains("\"joined\"") }
    #expect(!ada.errors.contains("because of --policy") && !ada.errors.contains("name resolution"))
    try await ada.wait(for: "to report the unknown contacts") {
      ada.errors.split(separator: "\n").count { $0.contains("contacts: studio") } == 4
    }
    for peer in [ada, ben] {
      peer.signal(SIGTERM)
      #expect(try await peer.status() == 0)
    }
    withExtendedLifetime(server) {}
  }
}

/// Tests of a peer whose name server does not know a host.
@Suite(.ownThreads) struct UnknownHostTests {
  /// The machine can be switched on later, so the peer runs on. The repeated look-ups print nothing.
  @Test func peerRunsOnAndReportsTheHostOnce() async throws {
    let arguments = [
      "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--json", "--connect",
      "no.such.host.invalid:5006",
    ]
    let ada = try Child.tutti(arguments, in: TemporaryFolder())
    try await ada.wait(for: "to be ready") { ada.output.contains("\"ready\"") }
    let line = "no.such.host.invalid: no machine of this name was found ("
    try await ada.wait(for: "to report the host") {
      ada.errors.contains(line) && ada.errors.contains("for example --connect 192.168.1.21:5006")
    }
    // The first repetition follows after five seconds.
    try await Task.sleep(for: .seconds(6))
    ada.signal(SIGTERM)
    #expect(try await ada.status() == 0)
    #expect(ada.errors.components(separatedBy: line).count == 2, "\(ada.errors)")
  }
}
