import ArgumentParser
import Audio
import Ensemble
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
    let ports = Result { try Sequencer.ports() }
    let devices = PCMDevices.all
    let services = Result { try Discovery.browse() }
    if json {
      try printJSON(Self.json(try? ports.get(), devices, try? services.get()))
    } else {
      print(Self.text(ports) + "\n" + Self.text(devices) + "\n" + Self.text(services), terminator: "")
    }
  }

  /// The table of the MIDI ports, or one line if there are none.
  private static func text(_ ports: Result<[SequencerPort], any Error>) -> String {
    switch ports {
    case .failure(let error): return "MIDI ports: none. \(error)\n"
    case .success(let ports) where ports.isEmpty:
      return "MIDI ports: none; connect a MIDI device or start a MIDI program\n"
    case .success(let ports):
      let rows = ports.map { port in
        let direction = port.sends ? (port.receives ? "sends, receives" : "sends") : "receives"
        return [port.description, direction, port.sends ? "--clock-from \(port.address)" : ""]
      }
      return TextTable(columns: ["MIDI port", "", "to follow its clock"], wordColumns: 3, rows: rows).description
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
    let rows = devices.map { [$0.description, "--audio alsa:\($0.name)"] }
    return TextTable(columns: ["sound card", "to play through it"], wordColumns: 2, rows: rows).description
  }

  /// The table of the network peers, or one line if there are none.
  private static func text(_ services: Result<[Discovery.Service], any Error>) -> String {
    switch services {
    case .failure(let error): return "Network peers: unknown. \(error)\n"
    case .success(let services) where services.isEmpty:
      return "Network peers: none found; start a peer on another machine, or connect with --connect HOST:PORT\n"
    case .success(let services):
      let rows = services.map {
        [$0.name, $0.identity == nil ? "RTP-MIDI" : "Tutti", "--connect \($0.address)"]
      }
      return TextTable(columns: ["network peer", "", "to connect to it"], wordColumns: 3, rows: rows).description
    }
  }

  /// The JSON form of all tables. The members `sequencer` and `discovery` state whether an ALSA sequencer and the Avahi daemon are
  /// available.
  private static func json(
    _ ports: [SequencerPort]?, _ devices: [PCMDevices.Entry], _ services: [Discovery.Service]?
  ) -> JSONObject {
    let ports: [JSONObject]? = ports?.map { port in
      [
        "address": "\(port.address)", "client": port.clientName, "port": port.portName,
        // Whether other ports can connect to the port to receive its events, or to send events to it.
        "sends": port.sends, "receives": port.receives,
        // The value that selects the port with `--clock-from`.
        "clock_from": port.sends ? "\(port.address)" : nil,
      ]
    }
    let devices: [JSONObject] = devices.map {
      ["name": $0.name, "description": $0.description, "audio": "alsa:\($0.name)"]
    }
    let services: [JSONObject]? = services?.map { service in
      [
        "name": service.name, "host": service.host, "address": "\(service.address)",
        // Only a Tutti peer has an identity.
        "identity": service.identity.map { "\(Identity($0))" },
      ]
    }
    return [
      "sequencer": ports != nil, "ports": ports ?? [], "devices": devices, "discovery": services != nil,
      "services": services ?? [],
    ]
  }
}
