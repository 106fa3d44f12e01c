import Foundation
import MusicalTime
import Realtime
import Testing
import _TestSupport
import _TestTraits

/// Tests of the order in which a peer ends its work when it leaves.
@Suite(.ownThreads) struct LeavingTests {
  /// A system bus that accepts connections and never answers, like a daemon that hangs.
  private final class HangingBus {
    private let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

    init(path: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let octets = Array(path.utf8)
      // Invariant: the path is shorter than `sun_path`, which ends with a zero.
      try #require(octets.count < MemoryLayout.size(ofValue: address.sun_path))
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(status == 0 && listen(descriptor, 8) == 0)
    }

    deinit { close(descriptor) }
  }

  /// When a peer leaves, its discovery waits up to three seconds for the Avahi daemon. The notes must end before this wait. The limit for
  /// the end of the note is half of the longest wait.
  @Test func notesEndBeforeThePeerWaitsForAvahi() async throws {
    let folder = try TemporaryFolder()
    // The path of a socket has at most 107 octets.
    let bus = try HangingBus(path: folder.path("bus"))
    let ben = try await PeerProcess("ben", in: folder)
    let ada = try await PeerProcess(
      "ada", connect: [ben], ["--discovery", "announce"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + folder.path("bus")], in: folder)
    for peer in [ada, ben] { try await peer.wait(forPeers: 1) }
    try await ada.wait(for: "to have a channel") { $0.contains { $0.event == "channel" } }
    ada.type("note 60 100")
    try await ben.wait(for: "to receive the note") { $0.contains { $0.midi?.hasSuffix("3C 64") == true } }
    let before = MonotonicClock.now
    ada.child.signal(SIGTERM)
    try await ben.wait(for: "to receive the end of the note") { $0.contains { $0.midi?.hasPrefix("8") == true } }
    let end = try #require(ben.events.first { $0.midi?.hasPrefix("8") == true }?.atNs)
    #expect(Instant(nanoseconds: end) - before < .milliseconds(1500))
    _ = try await ada.child.outcome()
    withExtendedLifetime(bus) {}
    try await ben.leave()
  }

  /// A master that leaves without another peer stops the rhythm. Its process ends half a second after the rhythm, so that the last
  /// sounds can fade.
  @Test func lastSoundsFadeBeforeTheMasterLeaves() async throws {
    let folder = try TemporaryFolder()
    let ada = try await PeerProcess("ada", ["--start", "--audio", "wav:ada.wav"], in: folder)
    try await ada.wait(forRole: "master")
    try await ada.leave()
    // The limit is 400 ms, not 500 ms. It allows for a delay of 100 ms between the end of the rhythm and the report of the role.
    let idle = try #require(ada.events.last { $0.role == "idle" }?.atNs)
    #expect(MonotonicClock.now - Instant(nanoseconds: idle) > .milliseconds(400))
  }
}
