/// The description of a port of the ALSA sequencer.
///
/// Real-time: not safe.
public struct SequencerPort: Hashable, Sendable, CustomStringConvertible {
  /// The address of the port.
  public let address: SequencerAddress
  /// The name of its client.
  public let clientName: String
  /// The name of the port.
  public let portName: String
  /// Whether the port sends MIDI to its subscribers.
  public let sends: Bool
  /// Whether the port receives MIDI.
  public let receives: Bool
  /// Whether the port belongs to the local client.
  public let isLocal: Bool

  /// Creates a description.
  ///
  /// Real-time: not safe.
  public init(
    address: SequencerAddress, clientName: String, portName: String, sends: Bool, receives: Bool, isLocal: Bool = false
  ) {
    self.address = address
    self.clientName = clientName
    self.portName = portName
    self.sends = sends
    self.receives = receives
    self.isLocal = isLocal
  }

  /// The names of client and port; only the name of the port if it begins with the name of the client, as usual for
  /// hardware.
  public var name: String { portName.hasPrefix(clientName) ? portName : "\(clientName) \(portName)" }

  /// The address and the name, for example `14:0 Midi Through Port-0`.
  public var description: String { "\(address) \(name)" }

  /// The names by which a port is recognised after its number has changed.
  struct Identity: Hashable, Sendable {
    let clientName: String
    let portName: String
  }

  /// The names of client and port.
  var identity: Identity { Identity(clientName: clientName, portName: portName) }
}

extension [SequencerPort] {
  /// Finds the port that `text` names.
  ///
  /// `text` is an address (`128:0`, or `128` for port 0 of client 128), the name of the client, the name of the port,
  /// both names separated by a colon or a space, the name of the client with a port number (`FLUID Synth:0`), or a part
  /// of one of these names. Case is ignored. A complete name has precedence over a part of a name, so that every port can be named
  /// unambiguously. Local ports are never found.
  ///
  /// - Parameters:
  ///   - text: the name or address.
  ///   - sending: true for a port that sends MIDI, false for a port that receives MIDI.
  /// - Throws: ``TransportError`` with the available ports if `text` names no port or several ports.
  ///
  /// Real-time: not safe.
  public func find(_ text: String, sending: Bool) throws(TransportError) -> SequencerPort {
    let usable = filter { !$0.isLocal && (sending ? $0.sends : $0.receives) }
    let found = usable.matching(text)
    if let port = found.first, found.count == 1 { return port }
    guard found.isEmpty else {
      throw TransportError("port \"\(text)\": ambiguous, matches \(found.listed); give the number or the full name")
    }
    let available =
      usable.isEmpty
      ? "no ports are available; connect the device or start the MIDI program" : "available ports: \(usable.listed)"
    // If a port with this address exists, the error states why it is not usable.
    if let address = SequencerAddress(text), let port = first(where: { $0.address == address }) {
      let reason =
        port.isLocal ? "belongs to this program" : sending ? "does not send MIDI" : "does not receive MIDI"
      throw TransportError("port \"\(text)\": \(reason); \(available)")
    }
    throw TransportError("port \"\(text)\": no such port; \(available)")
  }

  /// Returns the ports with the address or a complete name `text`, otherwise those with a name that contains `text`.
  private func matching(_ text: String) -> [SequencerPort] {
    if let address = SequencerAddress(text) { return filter { $0.address == address } }
    let key = text.lowercased()
    let named = filter { $0.names.contains(key) }
    // Every name contains the empty text, so an empty text must find nothing.
    guard named.isEmpty, !key.isEmpty else { return named }
    return filter { $0.names.contains { $0.contains(key) } }
  }

  /// The descriptions of the ports, separated by commas.
  private var listed: String { map(\.description).joined(separator: ", ") }
}

extension SequencerPort {
  /// All names accepted for the port, in lower case.
  fileprivate var names: [String] {
    [
      clientName, portName, "\(clientName):\(portName)", "\(clientName) \(portName)",
      "\(clientName):\(address.port)", description,
    ].map { $0.lowercased() }
  }
}
