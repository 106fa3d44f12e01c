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

  /// Starts a peer that uses the silent name server. The C library gives up after this number of attempts of 30 s each.
  private func peer(
    _ name: String, attempts: Int = 5, _ arguments: [String], in folder: TemporaryFolder
  ) throws -> Child {
    try "nameserver 127.0.0.7\noptions timeout:30 attempts:\(attempts)\n".write(
      toFile: folder.path("resolv.conf"), atomically: true, encoding: .utf8)
    let script = "mount --bind \(folder.path("resolv.conf")) /etc/resolv.conf && exec \"$@\""
    return try Child.tutti(
      ["peer", "--name", name, "--port", "0", "--discovery", "off", "--json"] + arguments,
      prefix: ["unshare", "--mount", "sh", "-c", script, "sh"], in: folder)
  }

  /// The C library waits 150 s for the name server before it gives up. The peer must be ready, and must end, before this.
  @Test func peerStartsWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let ada = try peer("ada", ["--connect", "studio.example:5004"], in: folder)
    try await ada.wait(for: "to be ready") { ada.output.contains("\"ready\"") }
    // Different threads write standard output and standard error, so the error can appear after the event `ready`.
    try await ada.wait(for: "to report the host") {
      ada.errors.contains("host studio.example:5004: no answer from the name server yet")
    }
    ada.signal(SIGTERM)
    #expect(try await ada.status() == 0)
    #expect(!ada.errors.contains("this peer tries again"), "the C library gave up before the peer was ready")
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
    #expect(!ada.errors.contains("because of --policy") && !ada.errors.contains("contacts: host studio"))
    try await ada.wait(for: "to report the unknown contacts") {
      ada.errors.split(separator: "\n").count { $0.contains("contacts: host studio") } == 4
    }
    for peer in [ada, ben] {
      peer.signal(SIGTERM)
      #expect(try await peer.status() == 0)
    }
    withExtendedLifetime(server) {}
  }
}
