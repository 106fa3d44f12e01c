import Testing
import Transports

/// The search for a sequencer port by its address or name. With `sending: true`, the port must send MIDI messages; otherwise it must
/// receive them.
@Suite struct PortFindingTests {
  private let ports = [
    port(14, 0, "Midi Through", "Midi Through Port-0"),
    port(20, 0, "Virtual Raw MIDI 2-0", "VirMIDI 2-0"),
    port(24, 0, "Virtual Raw MIDI 2-1", "VirMIDI 2-1"),
    port(128, 0, "FLUID Synth (77)", "Synth input port (77:0)", sends: false),
    port(129, 0, "Launchkey", "Launchkey", receives: false),
    port(129, 1, "Launchkey", "Launchkey DAW"),
    port(130, 0, "Tutti", "clock", receives: false, isLocal: true),
    port(130, 2, "Tutti", "in", sends: false, isLocal: true),
    port(131, 0, "jack_midi_clock", "mclk_out", receives: false),
  ]

  @Test(
    arguments: [
      ("14:0", 14, 0), ("14", 14, 0), ("129:1", 129, 1), ("Midi Through", 14, 0), ("midi through port-0", 14, 0),
      ("Midi Through:Midi Through Port-0", 14, 0), ("Virtual Raw MIDI 2-1:0", 24, 0), ("through", 14, 0),
      ("14:0 Midi Through Port-0", 14, 0), ("VirMIDI 2-1", 24, 0), ("2-1", 24, 0), ("launchkey daw", 129, 1),
      ("Launchkey:1", 129, 1), ("Virtual Raw MIDI 2-0 VirMIDI 2-0", 20, 0), ("mclk", 131, 0), ("MCLK_OUT", 131, 0),
    ] as [(String, UInt8, UInt8)])
  func portIsFoundByAddressOrName(text: String, client: UInt8, number: UInt8) throws {
    #expect(try ports.find(text, sending: true).address == SequencerAddress(client: client, port: number))
  }

  /// The complete name "keys" selects one port, although other names contain it. The part "key" is ambiguous.
  @Test func completeNameHasPrecedenceOverAPart() throws {
    let ports = [
      port(20, 0, "Keys", "Keys"), port(24, 0, "Keys Two", "Keys Two"), port(28, 0, "More Keys", "out"),
    ]
    #expect(try ports.find("keys", sending: true).address.client == 20)
    #expect(throws: TransportError.self) { try ports.find("key", sending: true) }
  }

  @Test func portsAreFoundByDirection() throws {
    #expect(try ports.find("synth", sending: false).address.client == 128)
    #expect(try ports.find("launchkey", sending: false).address.port == 1)
    expect("launchkey", sending: true, "matches 129:0 Launchkey, 129:1 Launchkey DAW; give the number or the full name")
    expect("128:0", sending: true, "does not send MIDI; available ports: 14:0 Midi Through Port-0, 20:0 ")
    expect("131:0", sending: false, "does not receive MIDI; available ports: 14:0 ")
  }

  @Test func errorForAnUnknownNameListsThePorts() {
    expect("foo", sending: true, "port \"foo\": no such port; available ports: 14:0 Midi Through Port-0, 20:0 ")
    expect("", sending: true, "no such port")
    expect("128:9", sending: true, "no such port")
    expect("300:0", sending: true, "no such port")
    expect("vIrMiDi", sending: true, "ambiguous, matches 20:0 Virtual Raw MIDI 2-0 VirMIDI 2-0, 24:0 ")
    let error = #expect(throws: TransportError.self) { try [SequencerPort]().find("x", sending: true) }
    let remedy = "connect the device or start the MIDI program"
    #expect(error?.description == "port \"x\": no such port; no ports are available; \(remedy)")
  }

  @Test func localPortsAreNeverFound() {
    expect("Tutti", sending: true, "no such port")
    expect("130:0", sending: true, "belongs to this program")
    expect("clock", sending: false, "no such port")
    // The text is found in the client name `jack_midi_clock` of the port 131:0. The local port "clock" is ignored.
    #expect(throws: Never.self) { try ports.find("clock", sending: true) }
  }

  @Test func addressesAreParsedFromTheirText() {
    #expect(SequencerAddress("128:3")?.description == "128:3" && SequencerAddress("20")?.description == "20:0")
    for text in ["", ":", "a", "1:", ":1", "256:0", "-1:0", "1:2:3", "1:256", "1 :0"] {
      #expect(SequencerAddress(text) == nil, "\(text)")
    }
  }

  /// Expects that the search fails with an error that contains `words`.
  private func expect(_ text: String, sending: Bool, _ words: String, at location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: TransportError.self, sourceLocation: location) {
      try ports.find(text, sending: sending)
    }
    let description = error?.description ?? ""
    #expect(description.contains(words), "\(description)", sourceLocation: location)
  }
}

/// A port of the sequencer, by default one of another program that sends and receives.
func port(
  _ client: UInt8, _ number: UInt8, _ clientName: String, _ portName: String, sends: Bool = true, receives: Bool = true,
  isLocal: Bool = false
) -> SequencerPort {
  SequencerPort(
    address: SequencerAddress(client: client, port: number), clientName: clientName, portName: portName, sends: sends,
    receives: receives, isLocal: isLocal)
}
