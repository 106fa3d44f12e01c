import BasicContainers
import Foundation
import RTPMIDI
import Testing
import Transports
import _TestSupport

@testable import Engine

extension TimingTests {
  /// What a peer logs about connections, on loopback in real time.
  @Suite struct ConnectionLogTests {
    /// A free control port.
    private func port() throws -> UInt16 {
      let pair = try PortPair(port: 0)
      defer { pair.close() }
      return pair.control.port
    }

    @Test func invitationToThePeersOwnAddressIsReportedOnce() async throws {
      let folder = try TemporaryFolder()
      let port = try port()
      let ada = try LivePeer("ada", folder: folder, connect: [port]) { $0.port = port }
      try await ada.waitForLog("127.0.0.1:\(port): is the address of this peer")
      // A second invitation would follow after one second.
      try await Task.sleep(for: .seconds(1.5))
      _ = try ada.leave()
      #expect(ada.log.count { $0.contains("is the address of this peer") || $0.contains("refused") } == 1, "\(ada.log)")
    }

    /// Two computers have the same identity if the disk of one was copied from the other.
    @Test func peerWithTheSameIdentityIsReportedAndNotInvitedAgain() async throws {
      let folder = try TemporaryFolder()
      // No other test has a peer with this name. The peer therefore uses the first identity file of the name.
      let ada = try LivePeer("original", folder: folder)
      let state = try LivePeer.state.get()
      try FileManager.default.copyItem(
        atPath: state.path("tutti/original.identity"), toPath: state.path("tutti/copy.identity"))
      let copy = try LivePeer("copy", folder: folder, connect: [ada.port])
      try await copy.waitForLog(
        "has the identity of this peer, perhaps from a copied disk; start one of them with another --name")
      // A second invitation would follow after one second.
      try await Task.sleep(for: .seconds(2.5))
      _ = try (ada.leave(), copy.leave())
      #expect(copy.log.count { $0.contains("joined") } == 1 && ada.log.count { $0.contains("joined") } == 1)
    }

    /// A stranger establishes 300 sessions and ends each at once.
    @Test func rateOfLoggedSessionsIsLimited() async throws {
      let folder = try TemporaryFolder()
      let ada = try LivePeer("ada", folder: folder)
      let (control, data) = (try UDPSocket(port: 0), try UDPSocket(port: 0))
      defer {
        control.close()
        data.close()
      }
      for n in 1...300 {
        // The data port of ada is the one after her control port.
        for (kind, socket, portOffset) in [
          (.invitation, control, 0), (.invitation, data, 1), (SessionCommand.Kind.bye, control, 0),
        ] as [(SessionCommand.Kind, UDPSocket, UInt16)] {
          var packet = RigidArray<UInt8>(capacity: 80)
          _ = SessionCommand(kind, token: UInt32(n), ssrc: UInt32(n), name: "Mallory").append(to: &packet)
          _ = socket.send(
            (0..<packet.count).map { packet[$0] }, to: SocketAddress(host: 0x7F00_0001, port: ada.port + portOffset))
          try await Task.sleep(for: .milliseconds(2))
        }
      }
      try await ada.waitForLog("sessions begin and end too often; only one line per second is logged from now on")
      _ = try ada.leave()
      // 128 lines are logged at once, then one per second. The test takes less than 72 s.
      #expect((128...200).contains(ada.log.count { $0.contains("Mallory") }), "\(ada.log.count)")
    }
  }
}
