import ArgumentParser
import Audio
import Ensemble
import Foundation
import Measurement
import PeerProtocol
import Transports

struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract:
      "List the MIDI ports, sound cards and network peers there are, with the words to give to the other options.",
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
      let services = Result { try Discovery.browse() }
      if json {
        try printJSON(Listing(ports: try? ports.get(), devices: devices, services: try? services.get()))
      } else {
        print(Self.text(ports) + "\n" + Self.text(devices) + "\n" + Self.text(services), terminator: "")
      }
    }
  }

  private static func text(_ ports: Result<[SequencerPort], any Error>) -> String {
    switch ports {
    case .failure(let error): return "MIDI ports: none. \(error)\n"
    case .success(let ports) where ports.isEmpty: return "MIDI ports: none; plug a device in or start a program\n"
    case .success(let ports):
      var table = TextTable(columns: ["MIDI port", "", "to keep its clock"], words: 3)
      for port in ports {
        let direction = port.gives ? (port.takes ? "gives, takes" : "gives") : "takes"
        table.append([port.description, direction, port.gives ? "--clock-from \(port.address)" : ""])
      }
      return table.description
    }
  }

  private static func text(_ devices: [PCMDevices.Entry]) -> String {
    if devices.isEmpty {
      let reason =
        PCMDevices.areForbidden
        ? "none that may be used; add yourself to the group audio (`usermod -aG audio NAME`) and log in again"
        : "none; record with --audio wav:FILE"
      return "Sound cards: \(reason)\n"
    }
    var table = TextTable(columns: ["sound card", "to play through it"], words: 2)
    for device in devices { table.append([device.description, "--audio alsa:\(device.name)"]) }
    return table.description
  }

  private static func text(_ services: Result<[Discovery.Service], any Error>) -> String {
    switch services {
    case .failure(let error): return "Network peers: none to be seen. \(error)\n"
    case .success(let services) where services.isEmpty: return "Network peers: none announces itself\n"
    case .success(let services):
      var table = TextTable(columns: ["network peer", "", "to connect to it"], words: 3)
      for service in services {
        table.append([service.name, service.identity == nil ? "RTP-MIDI" : "Tutti", "--connect \(service.address)"])
      }
      return table.description
    }
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

    struct Service: Encodable {
      var name: String
      var host: String
      var address: String
      /// Left out for what is no Tutti peer.
      var identity: String?
    }

    /// Whether there is an ALSA sequencer.
    var sequencer: Bool
    var ports: [Port]
    var devices: [Device]
    /// Whether there is a daemon to ask for network peers.
    var discovery: Bool
    var services: [Service]

    init(ports: [SequencerPort]?, devices: [PCMDevices.Entry], services: [Discovery.Service]?) {
      sequencer = ports != nil
      self.ports = (ports ?? []).map {
        Port(
          address: "\($0.address)", client: $0.clientName, port: $0.portName, gives: $0.gives, takes: $0.takes,
          clockFrom: $0.gives ? "\($0.address)" : nil)
      }
      self.devices = devices.map {
        Device(name: $0.name, description: $0.description, audio: "alsa:\($0.name)")
      }
      discovery = services != nil
      self.services = (services ?? []).map {
        Service(
          name: $0.name, host: $0.host, address: "\($0.address)", identity: $0.identity.map { "\(Identity($0))" })
      }
    }
  }
}
