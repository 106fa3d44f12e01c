import Ensemble
import MIDI
import PeerProtocol
import Testing
import _TestSupport
import _TestTraits

@testable import Engine

/// Tests of MIDI devices that play as players of a peer, with complete peers on loopback.
@Suite(.serialized, .ownThreads) struct DevicePlayerTests {
  @Test func deviceOfRTPMIDIIsAPlayer() async throws {
    let keys = try StandardDevice("Keys")
    let (ada, ben) = try await pair(adopting: "Keys=Emil", connect: [keys.port], midi: false, serve: { keys.serve() })
    try await expectPlayer(ada, ben, send: { keys.send($0) }, serve: { keys.serve() })
    // The volume (7) that a peer sends to the device is the total activity.
    let volume: [UInt8] = [0xB0, 7, 90]
    for _ in 0..<250 where !keys.packets.contains(where: { $0.suffix(3) == volume }) {
      keys.serve()
      try await pause(for: .milliseconds(20))
    }
    #expect(keys.packets.contains { $0.suffix(3) == volume })
    // A device that has left is no player any longer.
    keys.leave()
    try await ada.waitForLog("Emil: disconnected")
    try await waitForLeaving(ada, ben)
    _ = try [ada.leave(), ben.leave()]
  }

  @Test(.enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)")) func deviceOfALSAIsAPlayer() async throws {
    var keys: MIDIProgram? = try MIDIProgram("Keys")
    let (ada, ben) = try await pair(adopting: "Keys notes=Emil", connect: [], midi: true)
    let monitor = try MIDIProgram("Monitor")
    try monitor.subscribe(to: "ada notes")
    try await expectPlayer(ada, ben, send: { _ = keys?.play($0) })
    let volume = Message.controlChange(Channel(wire: 0), controller: 7, value: 90)
    var heard: [Message] = []
    for _ in 0..<250 where !heard.contains(volume) {
      heard += monitor.takeMessages()
      try await pause(for: .milliseconds(20))
    }
    #expect(heard.contains(volume))
    keys = nil
    try await ada.waitForLog("Emil: disconnected")
    try await waitForLeaving(ada, ben)
    _ = try [ada.leave(), ben.leave()]
  }

  /// Two peers in session. Both are watched, and ada adopts `device`. `serve` is called repeatedly.
  private func pair(
    adopting device: String, connect others: [UInt16], midi: Bool, serve: () -> Void = {}
  ) async throws -> (ada: LivePeer, ben: LivePeer) {
    let folder = try TemporaryFolder()
    let ben = try LivePeer("ben", folder: folder, watches: true)
    let ada = try LivePeer("ada", folder: folder, connect: [ben.port] + others, watches: true) {
      $0.midi = midi
      $0.players = [device]
    }
    for peer in [ada, ben] {
      try await peer.wait(for: "list three players") {
        serve()
        return $0.players.count == 3
      }
    }
    ada.mailbox.post(.startOrStop)
    try await ben.waitForLog("follows")
    return (ada, ben)
  }

  /// Expects that the messages that `send` sends are those of the player Emil, and sound at both peers.
  private func expectPlayer(
    _ ada: LivePeer, _ ben: LivePeer, send: (Message) -> Void, serve: () -> Void = {}
  ) async throws {
    send(.controlChange(Channel(wire: 0), controller: 11, value: 90))
    for peer in [ada, ben] {
      try await peer.wait(for: "count the activity of Emil") { events in
        serve()
        let totals = events.compactMap { if case .total(let total) = $0.kind { total } else { nil } }
        return events.emil?.energy == 90 && totals.last == 90
      }
    }
    send(.noteOn(Channel(wire: 0), key: 61, velocity: 100))
    var channels: [Channel] = []
    for peer in [ada, ben] {
      try await peer.wait(for: "play the key of Emil") { events in
        serve()
        for case .sounded(.noteOn(let channel, 61, _), from: _) in events.map(\.kind) {
          channels.append(channel)
          return true
        }
        return false
      }
    }
    // The note sounds on the channel of the device, which is not that of a local player.
    let emil = try #require(ada.events.emil?.channel)
    #expect(channels == [emil, emil])
    #expect(ada.events.players.count { $0.channel == emil } == 1)
  }

  private func waitForLeaving(_ peers: LivePeer...) async throws {
    for peer in peers { try await peer.wait(for: "list two players") { $0.players.count == 2 } }
  }
}

extension [PeerEvent] {
  /// The newest list of players.
  fileprivate var players: [PlayerStatus] {
    for event in reversed() { if case .players(let players) = event.kind { return players } }
    return []
  }

  /// The device Emil in the newest list of players.
  fileprivate var emil: PlayerStatus? { players.first { $0.player.kind == .device && $0.player.name == "Emil" } }
}
