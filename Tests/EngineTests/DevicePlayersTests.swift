import Ensemble
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import Transports

@testable import Engine

/// Adopted devices: RTP-MIDI devices in session, and ALSA ports.
@Suite struct DevicePlayersTests {
  private let peer = Identity(7)
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let session = SessionID(number: 3)
  private let address = SocketAddress(host: 0x0A00_0009, port: 5004)

  private func adopting(_ texts: String...) -> DevicePlayers {
    var devices = DevicePlayers()
    for text in texts { #expect(devices.adopt(text, by: peer) == nil, "\(text)") }
    return devices
  }

  private func port(_ name: String) -> SequencerPort {
    SequencerPort(
      address: SequencerAddress(client: 24, port: 0), clientName: name, portName: "MIDI 1", sends: true, receives: true,
      isLocal: false)
  }

  /// Connects the devices that are in session under these names, and those of the ports.
  private func connect(
    _ devices: inout DevicePlayers, names: [String] = [], ports: [SequencerPort] = [], at now: Instant
  ) -> [String] {
    devices.connect(
      sessions: { names.map { (session, PeerReference(name: $0, address: address, identity: nil)) } }, ports: { ports },
      at: now
    ).map { "\($0.device.name) \($0.isConnected ? "in" : "out")" }
  }

  @Test func nameFollowsTheDevice() {
    let devices = adopting("Keystep=Emil", " nano ", "a=b=c").devices
    #expect(devices.map(\.selector) == ["Keystep", "nano", "a"] && devices.map(\.name) == ["Emil", "nano", "b=c"])
    #expect(Set(devices.map(\.identity)).count == 3)
    // The same device at the same peer is the same player.
    #expect(adopting("Keystep=Anna").devices[0].identity == devices[0].identity)
  }

  @Test func impossibleDevicesAreRefused() {
    var devices = adopting("1", "2", "3")
    for text in ["", "=Emil", "x=", "x=\u{200B}", "2=again"] {
      #expect(devices.adopt(text, by: peer) != nil, "\(text)")
    }
    #expect(devices.adopt("4", by: peer) == nil && devices.adopt("5", by: peer)?.contains("the limit") == true)
  }

  @Test func deviceIsConnectedByItsNameOrAddress() {
    for selector in ["Keystep", "10.0.0.9", "10.0.0.9:5004"] {
      var devices = adopting("\(selector)=Emil")
      #expect(connect(&devices, names: ["Keystep"], at: start) == ["Emil in"], "\(selector)")
      #expect(devices.devices[0].state.source == .session(session))
      // The devices are looked for twice a second.
      #expect(connect(&devices, at: start + .milliseconds(400)) == [])
      #expect(connect(&devices, at: start + .milliseconds(600)) == ["Emil out"])
      #expect(connect(&devices, names: ["Keystep"], at: start + .seconds(2)) == ["Emil in"])
      #expect(devices.devices[0].state.connections == 2)
    }
  }

  @Test func portIsConnectedUnlessTheDeviceIsInSession() {
    var devices = adopting("Keystep")
    #expect(connect(&devices, ports: [port("Keystep")], at: start) == ["Keystep in"])
    #expect(devices.devices[0].state.source == .port(SequencerAddress(client: 24, port: 0)))
    let changes = connect(&devices, names: ["Keystep"], ports: [port("Keystep")], at: start + .seconds(1))
    #expect(changes == ["Keystep out", "Keystep in"])
  }

  @Test func totalIsSentWhenItChangesAndToNewDevices() {
    var devices = adopting("Keystep")
    #expect(devices.receivers(of: 56).isEmpty)
    _ = connect(&devices, names: ["Keystep"], at: start)
    #expect(devices.receivers(of: 56) == [.session(session)] && devices.receivers(of: 56).isEmpty)
    #expect(devices.receivers(of: 57) == [.session(session)])
  }
}
