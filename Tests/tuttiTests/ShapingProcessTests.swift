import Testing
import _TestSupport
import _TestTraits

/// A test of `shape`: a player changes the sound of another player's instrument. The peers run on loopback.
@Suite(.serialized, .ownThreads) struct ShapingProcessTests {
  @Test func ownerOfTheInstrumentIsInformedOnce() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--audio", "none"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--audio", "none"], in: folder)
    for peer in [ada, ben] {
      try await peer.wait(forPeers: 1)
      try await peer.wait(for: "to have a channel") { $0.contains { $0.event == "channel" } }
      try await peer.wait(for: "to know the channel of the other") { events in
        events.contains { $0.peers?.first?.channel != nil }
      }
    }
    ada.type("shape ben 74 20")
    ada.type("shape ben 74 21")
    // Ben reports the controllers as messages of its own player, because they change the sound of this player's instrument. The digits
    // are hexadecimal: controller 74 (4A), and the values 20 (14) and 21 (15).
    try await ben.wait(for: "to use both controllers") { events in
      events.contains { $0.midi?.hasSuffix("4A 14") == true && $0.name == nil }
        && events.contains { $0.midi?.hasSuffix("4A 15") == true && $0.name == nil }
    }
    try await ben.child.wait(for: "to be informed") { ben.child.errors.contains("ada changes") }
    #expect(ben.child.errors.split(separator: "\n").count { $0.contains("ada changes the sound") } == 1)
    // Only the player of the instrument may send the volume (7).
    ada.type("shape ben 7 0")
    try await ada.child.wait(for: "to be refused") { ada.child.errors.contains("controller 7") }
    ben.type("gate ada:modification=closed")
    // While no rhythm plays, the weight is 25 for each of the gates rhythm, notes and modification that is open: now two.
    try await ada.wait(for: "to learn of the gate") { $0.contains { $0.peers?.first?.weightOut == 50 } }
    ada.type("shape ben 74 22")
    try await ada.child.wait(for: "to be refused") {
      ada.child.errors.contains("is closed to you")
    }
    for peer in [ada, ben] { try await peer.leave() }
  }
}
