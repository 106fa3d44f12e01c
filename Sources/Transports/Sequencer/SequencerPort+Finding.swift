extension [SequencerPort] {
  /// The port that `text` means: its address (`128:0`, or `128` for its port 0), the name of its client, its own name,
  /// both with a colon or a space between, the client's name with a port number (`FLUID Synth:0`), or a part of one of
  /// these. Case does not count. The whole of a name goes before a part of one, so a port can always be named, however
  /// long the names of others. Our own ports are never meant.
  ///
  /// - Parameter giving: whether MIDI is to be had from the port, or to be sent to it.
  /// - Throws: ``TransportError``, with what there is, when `text` means no port or several.
  ///
  /// Real-time: not safe.
  public func find(_ text: String, giving: Bool) throws(TransportError) -> SequencerPort {
    let usable = filter { !$0.isOwn && (giving ? $0.gives : $0.takes) }
    let found = usable.meant(by: text)
    if let only = found.first, found.count == 1 { return only }
    guard found.isEmpty else {
      throw TransportError("port \"\(text)\": could be \(found.listed); give its number or full name")
    }
    let there = usable.isEmpty ? "there are none" : "there are: \(usable.listed)"
    if let address = SequencerAddress(text), let port = first(where: { $0.address == address }) {
      let reason = port.isOwn ? "is this program's own" : giving ? "gives no MIDI" : "takes no MIDI"
      throw TransportError("port \"\(text)\": \(reason); \(there)")
    }
    throw TransportError("port \"\(text)\": no such port; \(there)")
  }

  private func meant(by text: String) -> [SequencerPort] {
    if let address = SequencerAddress(text) { return filter { $0.address == address } }
    let wanted = text.lowercased()
    let named = filter { $0.names.contains(wanted) }
    guard named.isEmpty, !wanted.isEmpty else { return named }
    return filter { $0.names.contains { $0.contains(wanted) } }
  }

  private var listed: String { map(\.description).joined(separator: ", ") }
}

extension SequencerPort {
  /// What people may call it, in lower case.
  fileprivate var names: [String] {
    [
      clientName, portName, "\(clientName):\(portName)", "\(clientName) \(portName)",
      "\(clientName):\(address.port)", description,
    ].map { $0.lowercased() }
  }
}
