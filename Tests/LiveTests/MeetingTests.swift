import BasicContainers
import Foundation
import RTPMIDI
import Testing
import Transports
import _TestSupport
import _TestTraits

@testable import Engine

/// What a player is told of those who come and go, on loopback, in real time.
@Suite(.serialized, .ownThreads) struct MeetingTests {
  private func port() throws -> UInt16 {
    let pair = try PortPair(port: 0)
    defer { pair.close() }
    return pair.control.port
  }

  @Test func aPeerIsNotConnectedToItself() async throws {
    let folder = try TemporaryFolder()
    let port = try port()
    let ada = try Player("ada", folder: folder, connect: [port]) { $0.port = port }
    try await ada.says("127.0.0.1:\(port): is the address of this peer")
    try await Task.sleep(for: .seconds(1.5))
    _ = try ada.leave()
    #expect(ada.said.count { $0.contains("is the address of this peer") || $0.contains("refused") } == 1, "\(ada.said)")
  }

  /// Two machines with disks that were copied from one another.
  @Test func aCopyIsToldOnceAndNotConnectedTo() async throws {
    let folder = try TemporaryFolder()
    // A name that no other test's peer has, which would have the first file of that name.
    let ada = try Player("original", folder: folder)
    let state = try Player.state.get()
    try FileManager.default.copyItem(
      atPath: state.path("tutti/original.identity"), toPath: state.path("tutti/copy.identity"))
    let copy = try Player("copy", folder: folder, connect: [ada.port])
    try await copy.says(
      "has the identity of this peer, perhaps from a copied disk; start one of them with another --name")
    try await Task.sleep(for: .seconds(2.5))
    _ = try (ada.leave(), copy.leave())
    #expect(copy.said.count { $0.contains("joined") } == 1 && ada.said.count { $0.contains("joined") } == 1)
  }

  /// Three hundred sessions, each ended as soon as it stands.
  @Test func whoComesAndGoesByTheHundredIsNotAllTold() async throws {
    let folder = try TemporaryFolder()
    let ada = try Player("ada", folder: folder)
    let (control, data) = (try UDPSocket(port: 0), try UDPSocket(port: 0))
    defer {
      control.close()
      data.close()
    }
    for n in 1...300 {
      for (kind, socket, port) in [
        (.invitation, control, 0), (.invitation, data, 1), (SessionCommand.Kind.bye, control, 0),
      ] as [(SessionCommand.Kind, UDPSocket, UInt16)] {
        var packet = RigidArray<UInt8>(capacity: 80)
        _ = SessionCommand(kind, token: UInt32(n), ssrc: UInt32(n), name: "Mallory").append(to: &packet)
        _ = socket.send(
          (0..<packet.count).map { packet[$0] }, to: SocketAddress(host: 0x7F00_0001, port: ada.port + port))
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    try await ada.says("peers come and go faster than can be told")
    _ = try ada.leave()
    // The 128 that are told at once, and one for each second that it took.
    #expect((128...200).contains(ada.said.count { $0.contains("Mallory") }), "\(ada.said.count)")
  }
}
