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
  private func peer(_ name: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Child {
    try "nameserver 127.0.0.7\n".write(toFile: folder.path("resolv.conf"), atomically: true, encoding: .utf8)
    let script = "mount --bind \(folder.path("resolv.conf")) /etc/resolv.conf && exec \"$@\""
    return try Child.tutti(
      ["peer", "--name", name, "--port", "0", "--discovery", "off", "--json"] + arguments,
      prefix: ["unshare", "--mount", "sh", "-c", script, "sh"], in: folder)
  }

  /// The C library waits 10 s for a name server before it gives up: two attempts of 5 s each. The peer must be ready within 6 s.
  @Test func peerStartsWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let ada = try peer("ada", ["--connect", "studio.example:5004"], in: folder)
    try await ada.wait(for: "to be ready", within: .seconds(6)) { ada.output.contains("\"ready\"") }
    // Different threads write standard output and standard error, so the error can appear after the event `ready`.
    try await ada.wait(for: "to report the host", within: .seconds(2)) {
      ada.errors.contains("host studio.example:5004: no answer from the name server yet")
    }
    ada.signal(SIGTERM)
    #expect(try await ada.status(within: .seconds(5)) == 0)
    withExtendedLifetime(server) {}
  }

  /// A contact with a numeric address is accepted while the addresses of the named hosts are unknown.
  @Test func contactsAreAcceptedWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let hosts = (1...4).map { "host studio\($0).example\n" }.joined()
    try (hosts + "host 127.0.0.1\n").write(toFile: folder.path("contacts"), atomically: true, encoding: .utf8)
    let ada = try peer("ada", ["--policy", "contacts", "--contacts", folder.path("contacts")], in: folder)
    var port: String?
    try await ada.wait(for: "to be ready", within: .seconds(6)) {
      port = ada.output.firstMatch(of: /"ready".*"port":(\d+)/).map { String($0.1) }
      return port != nil
    }
    let ben = try peer("ben", ["--connect", "127.0.0.1:\(port ?? "")"], in: TemporaryFolder())
    try await ada.wait(for: "to accept the contact", within: .seconds(10)) { ada.output.contains("\"joined\"") }
    #expect(!ada.errors.contains("because of --policy"))
    try await ada.wait(for: "to report the unknown contacts", within: .seconds(20)) {
      ada.errors.split(separator: "\n").count { $0.contains("contacts: host studio") } == 4
    }
    for peer in [ada, ben] {
      peer.signal(SIGTERM)
      #expect(try await peer.status(within: .seconds(5)) == 0)
    }
    withExtendedLifetime(server) {}
  }
}
