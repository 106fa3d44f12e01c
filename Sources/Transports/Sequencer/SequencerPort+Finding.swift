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
