import CALSA

extension Sequencer {
  /// All ports that people can connect, ours among them.
  ///
  /// Real-time: not safe.
  public func ports() -> [SequencerPort] { Self.ports(seenBy: control, own: client) }

  /// All ports that people can connect, asked for by a program that has none itself.
  ///
  /// - Throws: ``TransportError`` when there is no sequencer, or no right to it.
  ///
  /// Real-time: not safe.
  public static func ports() throws(TransportError) -> [SequencerPort] {
    let handle = try open(name: "listing")
    defer { snd_seq_close(handle) }
    return ports(seenBy: handle, own: nil)
  }

  // The System client is left out: what it gives is no MIDI.
  private static func ports(seenBy handle: OpaquePointer, own: UInt8?) -> [SequencerPort] {
    var client: OpaquePointer?
    var port: OpaquePointer?
    guard snd_seq_client_info_malloc(&client) == 0, snd_seq_port_info_malloc(&port) == 0 else { return [] }
    defer {
      snd_seq_port_info_free(port)
      snd_seq_client_info_free(client)
    }
    var ports: [SequencerPort] = []
    snd_seq_client_info_set_client(client, Int32(SND_SEQ_CLIENT_SYSTEM))
    while snd_seq_query_next_client(handle, client) >= 0 {
      let number = snd_seq_client_info_get_client(client)
      let name = shown(snd_seq_client_info_get_name(client))
      snd_seq_port_info_set_client(port, number)
      snd_seq_port_info_set_port(port, -1)
      while snd_seq_query_next_port(handle, port) >= 0 {
        let capability = Int32(bitPattern: snd_seq_port_info_get_capability(port))
        func has(_ wanted: Int32) -> Bool { capability & wanted == wanted }
        let gives = has(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
        let takes = has(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE)
        guard gives || takes, !has(SND_SEQ_PORT_CAP_NO_EXPORT) else { continue }
        let address = SequencerAddress(
          client: UInt8(truncatingIfNeeded: number),
          port: UInt8(truncatingIfNeeded: snd_seq_port_info_get_port(port)))
        ports.append(
          SequencerPort(
            address: address, clientName: name, portName: shown(snd_seq_port_info_get_name(port)), gives: gives,
            takes: takes, isOwn: address.client == own))
      }
    }
    return ports
  }

  /// A name another program has chosen, as it may stand on a terminal.
  private static func shown(_ name: UnsafePointer<CChar>?) -> String {
    // Invariant: the library's names end with 0 and live as long as the structure they stand in.
    name.map { String(cString: $0).printable() } ?? ""
  }
}
