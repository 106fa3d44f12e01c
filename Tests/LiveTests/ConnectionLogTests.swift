import BasicContainers
import Foundation
import RTPMIDI
import Realtime
import Testing
import Transports
import _TestSupport

@testable import Engine

extension TimingTests {
  /// Tests of the log lines of a peer about connections, on loopback in real time.
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
      try await ada.waitForLog("127.0.0.1:\(port): the invitation came back")
      // The second invitation follows after one second.
      try await pause(for: .seconds(1.5))
      _ = try ada.leave()
      #expect(ada.log.count { $0.contains("the invitation came back") || $0.contains("refused") } == 1, "\(ada.log)")
    }

    /// Two peers have the same identity if the state folder of one was copied from the other, for example with a whole disk.
    @Test func peerWithTheSameIdentityIsReportedAndNotInvitedAgain() async throws {
      let folder = try TemporaryFolder()
      // No other test has a peer with this name. The peer therefore uses the first identity file of the name.
      let ada = try LivePeer("original", folder: folder)
      let state = try LivePeer.state.get()
      try FileManager.default.copyItem(
        atPath: state.path("tutti/original.identity"), toPath: state.path("tutti/copy.identity"))
      let copy = try LivePeer("copy", folder: folder, connect: [ada.port])
      try await copy.waitForLog(
        "has the identity of this peer, perhaps from a copied disk; start one of the two with another --name")
      // A second invitation would follow after one second.
      try await pause(for: .seconds(2.5))
      _ = try (ada.leave(), copy.leave())
      #expect(copy.log.count { $0.contains("joined") } == 1 && ada.log.count { $0.contains("joined") } == 1)
    }

    /// A stranger establishes 300 sessions, one after another, and ends each of them at once.
    @Test func rateOfLoggedSessionsIsLimited() async throws {
      let folder = try TemporaryFolder()
      let ada = try LivePeer("ada", folder: folder)
      let ports = try PortPair(port: 0)
      let (control, data) = (ports.control, ports.data)
      defer { ports.close() }
      for n in 1...300 {
        /// Sends the octets that `encode` appends: from the control port to ada's control port, or from the data port to ada's data port.
        /// The data port of a peer is the port after its control port.
        func send(from socket: UDPSocket, _ encode: (inout RigidArray<UInt8>) -> Bool) async throws {
          let port = ada.port + (socket.port == data.port ? 1 : 0)
          _ = socket.send(octets { _ = encode(&$0) }, to: SocketAddress(host: 0x7F00_0001, port: port))
          try await pause(for: .milliseconds(2))
        }
        let invitation = SessionCommand(.invitation, token: UInt32(n), ssrc: UInt32(n), name: "Mallory")
        try await send(from: control) { invitation.append(to: &$0) }
        try await send(from: data) { invitation.append(to: &$0) }
        try await send(from: data) { ClockPacket(ssrc: UInt32(n), sentAt: MonotonicClock.now).append(to: &$0) }
        // The stranger answers CK1. It ignores the other datagrams: clock probes and OK.
        var datagram = Datagram()
        while ports.receive(on: .data, into: &datagram) {
          guard let answer = ClockPacket(datagram.octets.span.extracting(first: datagram.count)),
            let reply = answer.reply(from: UInt32(n), sentAt: MonotonicClock.now)
          else { continue }
          try await send(from: data) { reply.append(to: &$0) }
        }
        try await send(from: control) {
          SessionCommand(.bye, token: UInt32(n), ssrc: UInt32(n)).append(to: &$0)
        }
      }
      try await ada.waitForLog("more lines about sessions in")
      _ = try ada.leave()
      // Five lines are logged without delay, then one with the number of the others; after 10, 20 and 40 s again. The test takes less
      // than 72 s.
      #expect((6...24).contains(ada.log.count { $0.contains("Mallory") }), "\(ada.log.count)")
    }
  }
}
