import ArgumentParser
import Audio
import Foundation
import Measurement
import Transports

struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract: "List the ALSA ports and sound cards there are, with the words to give to the other options.",
    discussion: """
      EXAMPLES
        tutti ports
        tutti ports --json
      """)

  @Flag(help: "Print one JSON object instead of the tables.")
  var json = false

  func run() throws {
    try reportingFailures {
      let ports = Result { try Sequencer.ports() }
      let devices = PCMDevices.all
      if json {
        try printJSON(Listing(ports: try? ports.get(), devices: devices))
      } else {
        print(Self.text(ports, devices), terminator: "")
      }
    }
  }

  private static func text(_ ports: Result<[SequencerPort], any Error>, _ devices: [PCMDevices.Entry]) -> String {
    var text = ""
    switch ports {
    case .failure(let error): text += "MIDI ports: none. \(error)\n"
    case .success(let ports) where ports.isEmpty: text += "MIDI ports: none; plug a device in or start a program\n"
    case .success(let ports):
      var table = TextTable(columns: ["MIDI port", "", "to keep its clock"], words: 3)
      for port in ports {
        let direction = port.gives ? (port.takes ? "gives, takes" : "gives") : "takes"
        table.append([port.description, direction, port.gives ? "--clock-from \(port.address)" : ""])
      }
      text += table.description
    }
    text += "\n"
    if devices.isEmpty {
      let reason =
        PCMDevices.areForbidden
        ? "none that may be used; add yourself to the group audio (`usermod -aG audio NAME`) and log in again"
        : "none; record with --audio wav:FILE"
      return text + "Sound cards: \(reason)\n"
    }
    var table = TextTable(columns: ["sound card", "to play through it"], words: 2)
    for device in devices { table.append([device.description, "--audio alsa:\(device.name)"]) }
    return text + table.description
  }

  private struct Listing: Encodable {
    struct Port: Encodable {
      var address: String
      var client: String
      var port: String
      var gives: Bool
      var takes: Bool
      var clockFrom: String?

      private enum CodingKeys: String, CodingKey {
        case address, client, port, gives, takes
        case clockFrom = "clock_from"
      }
    }
    struct Device: Encodable {
      var name: String
      var description: String
      var audio: String
    }

    /// Whether there is an ALSA sequencer.
    var sequencer: Bool
    var ports: [Port]
    var devices: [Device]

    init(ports: [SequencerPort]?, devices: [PCMDevices.Entry]) {
      sequencer = ports != nil
      self.ports = (ports ?? []).map {
        Port(
          address: "\($0.address)", client: $0.clientName, port: $0.portName, gives: $0.gives, takes: $0.takes,
          clockFrom: $0.gives ? "\($0.address)" : nil)
      }
      self.devices = devices.map {
        Device(name: $0.name, description: $0.description, audio: "alsa:\($0.name)")
      }
    }
  }
}
