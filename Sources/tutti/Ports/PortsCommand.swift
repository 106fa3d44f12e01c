import ArgumentParser
import Audio
import Ensemble
import Foundation
import Measurement
import PeerProtocol
import Transports

/// The subcommand `tutti ports`.
struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract: "List MIDI ports, sound cards and network peers, with the options that select them.",
    discussion: """
      EXAMPLES
        tutti ports
        tutti ports --json
      """)

  @Flag(help: "Print one JSON object instead of the tables.")
  var json = false

  func run() throws {
    try reportingErrors {
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

  /// The table of the MIDI ports, or one line if there are none.
  private static func text(_ ports: Result<[SequencerPort], any Error>) -> String {
    switch ports {
    case .failure(let error): return "MIDI ports: none. \(error)\n"
    case .success(let ports) where ports.isEmpty:
      return "MIDI ports: none; connect a MIDI device or start a MIDI program\n"
    case .success(let ports):
      var table = TextTable(columns: ["MIDI port", "", "to follow its clock"], wordColumns: 3)
      for port in ports {
        let direction = port.sends ? (port.receives ? "sends, receives" : "sends") : "receives"
        table.append([port.description, direction, port.sends ? "--clock-from \(port.address)" : ""])
      }
      return table.description
    }
  }

  /// The table of the sound cards, or one line if there are none.
  private static func text(_ devices: [PCMDevices.Entry]) -> String {
    if devices.isEmpty {
      let reason =
        PCMDevices.isAccessDenied
        ? "none usable: permission denied; add yourself to the group audio (`usermod -aG audio NAME` as root) "
          + "and log in again"
        : "none; record with --audio wav:FILE"
      return "Sound cards: \(reason)\n"
    }
    var table = TextTable(columns: ["sound card", "to play through it"], wordColumns: 2)
    for device in devices { table.append([device.description, "--audio alsa:\(device.name)"]) }
    return table.description
  }

  /// The table of the network peers, or one line if there are none.
  private static func text(_ services: Result<[Discovery.Service], any Error>) -> String {
    switch services {
    case .failure(let error): return "Network peers: unknown. \(error)\n"
    case .success(let services) where services.isEmpty:
      return "Network peers: none found; start a peer on another machine, or connect with --connect HOST:PORT\n"
    case .success(let services):
      var table = TextTable(columns: ["network peer", "", "to connect to it"], wordColumns: 3)
      for service in services {
        table.append([service.name, service.identity == nil ? "RTP-MIDI" : "Tutti", "--connect \(service.address)"])
      }
      return table.description
    }
  }

  /// The JSON form of all tables.
  private struct Listing: Encodable {
    struct Port: Encodable {
      var address: String
      var client: String
      var port: String
      /// Whether other ports can connect to the port to receive its events.
      var sends: Bool
      /// Whether other ports can connect to the port to send events to it.
      var receives: Bool
      /// The value that selects the port with `--clock-from`; omitted if the port does not send.
      var clockFrom: String?

      private enum CodingKeys: String, CodingKey {
        case address, client, port, sends, receives
        case clockFrom = "clock_from"
      }
    }
    struct Device: Encodable {
      var name: String
      var description: String
      /// The value that selects the device with `--audio`.
      var audio: String
    }

    struct Service: Encodable {
      var name: String
      var host: String
      var address: String
      /// The identity of the peer; omitted if the service is not a Tutti peer.
      var identity: String?
    }

    /// Whether an ALSA sequencer is available.
    var sequencer: Bool
    var ports: [Port]
    var devices: [Device]
    /// Whether the Avahi daemon is available.
    var discovery: Bool
    var services: [Service]

    init(ports: [SequencerPort]?, devices: [PCMDevices.Entry], services: [Discovery.Service]?) {
      sequencer = ports != nil
      self.ports = (ports ?? []).map {
        Port(
          address: "\($0.address)", client: $0.clientName, port: $0.portName, sends: $0.sends, receives: $0.receives,
          clockFrom: $0.sends ? "\($0.address)" : nil)
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
