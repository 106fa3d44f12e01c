import CALSA
import Text

// The ports of all programs.
extension Sequencer {
  /// Returns all ports that users can connect, including the local ones.
  ///
  /// Real-time: not safe.
  public func ports() -> [SequencerPort] { Self.ports(seenBy: control, localClient: client) }

  /// Returns all ports that users can connect. This function is for programs that have no `Sequencer` of their own.
  ///
  /// - Throws: ``TransportError`` if there is no sequencer or no permission to open it.
  ///
  /// Real-time: not safe.
  public static func ports() throws(TransportError) -> [SequencerPort] {
    let handle = try open(name: "listing")
    defer { snd_seq_close(handle) }
    return ports(seenBy: handle, localClient: nil)
  }

  /// Returns the ports of all clients except System, whose events are not MIDI.
  ///
  /// - Parameter localClient: the number of the local client; nil if this program has no ports.
  private static func ports(seenBy handle: OpaquePointer, localClient: UInt8?) -> [SequencerPort] {
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
      let name = printable(snd_seq_client_info_get_name(client))
      snd_seq_port_info_set_client(port, number)
      snd_seq_port_info_set_port(port, -1)
      while snd_seq_query_next_port(handle, port) >= 0 {
        let capability = Int32(bitPattern: snd_seq_port_info_get_capability(port))
        /// Whether the port has all capabilities in `bits`.
        func has(_ bits: Int32) -> Bool { capability & bits == bits }
        let sends = has(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
        let receives = has(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE)
        guard sends || receives, !has(SND_SEQ_PORT_CAP_NO_EXPORT) else { continue }
        let address = SequencerAddress(
          client: UInt8(truncatingIfNeeded: number),
          port: UInt8(truncatingIfNeeded: snd_seq_port_info_get_port(port)))
        ports.append(
          SequencerPort(
            address: address, clientName: name, portName: printable(snd_seq_port_info_get_name(port)), sends: sends,
            receives: receives, isLocal: address.client == localClient))
      }
    }
    return ports
  }

  /// Returns a name chosen by another program, with printable characters only.
  private static func printable(_ name: UnsafePointer<CChar>?) -> String {
    // Invariant: the library's names end with NUL and live as long as the structure that contains them.
    name.map { String(cString: $0).printable(upTo: 100) } ?? ""
  }
}
