import Foundation
import Testing
import _TestSupport
import _TestTraits

/// A peer whose name server does not answer. Only root can give a process another /etc/resolv.conf.
@Suite(.ownThreads, .enabled(if: geteuid() == 0)) struct NameServerTests {
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

  /// The C library waits 10 s for a name server before it gives up: two attempts of 5 s each.
  @Test func peerStartsWithoutWaitingForTheNameServer() async throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    try "nameserver 127.0.0.7\n".write(toFile: folder.path("resolv.conf"), atomically: true, encoding: .utf8)
    let script = "mount --bind \(folder.path("resolv.conf")) /etc/resolv.conf && exec \"$@\""
    let ada = try Child.tutti(
      ["peer", "--name", "ada", "--port", "0", "--discovery", "off", "--json", "--connect", "studio.example:5004"],
      prefix: ["unshare", "--mount", "sh", "-c", script, "sh"], in: folder)
    try await ada.wait(for: "to be ready", within: .seconds(6)) { ada.output.contains("\"ready\"") }
    // Standard output and standard error are written by two threads.
    try await ada.wait(for: "to report the host", within: .seconds(2)) {
      ada.errors.contains("host studio.example:5004: the name server has not answered yet")
    }
    ada.signal(SIGTERM)
    #expect(try await ada.status(within: .seconds(5)) == 0)
    withExtendedLifetime(server) {}
  }
}
