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
