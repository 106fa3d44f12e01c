/// A port of the ALSA sequencer, as people see it.
public struct SequencerPort: Hashable, Sendable, CustomStringConvertible {
  public let address: SequencerAddress
  public let clientName: String
  public let portName: String
  /// Whether MIDI can be had from it.
  public let gives: Bool
  /// Whether MIDI can be sent to it.
  public let takes: Bool
  /// Whether it is one of the asking peer's own.
  public let isOwn: Bool

  /// Real-time: not safe.
  public init(
    address: SequencerAddress, clientName: String, portName: String, gives: Bool, takes: Bool, isOwn: Bool = false
  ) {
    self.address = address
    self.clientName = clientName
    self.portName = portName
    self.gives = gives
    self.takes = takes
    self.isOwn = isOwn
  }

  /// Client and port; the port alone where its name begins with the client's, as those of hardware do.
  public var name: String { portName.hasPrefix(clientName) ? portName : "\(clientName) \(portName)" }

  /// For example `14:0 Midi Through Port-0`.
  public var description: String { "\(address) \(name)" }

  /// By what it is known again when its number has changed.
  struct Identity: Hashable, Sendable {
    let clientName: String
    let portName: String
  }

  var identity: Identity { Identity(clientName: clientName, portName: portName) }
}
