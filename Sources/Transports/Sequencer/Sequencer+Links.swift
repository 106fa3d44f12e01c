import CALSA
import Glibc

// The connections of the local ports.
extension Sequencer {
  /// Connects a local port with a port of another client. Does nothing if they are already connected.
  ///
  /// - Throws: ``TransportError`` if the other port does not exist or does not permit the connection.
  ///
  /// Real-time: not safe.
  public func subscribe(_ link: SequencerLink) throws(TransportError) {
    let code = request(link, snd_seq_subscribe_port)
    // EBUSY means that the ports are already connected, or that another program uses one of them exclusively.
    guard code < 0, !(code == -EBUSY && links().contains(link)) else { return }
    let cause =
      switch -code {
      case EBUSY: "in exclusive use by another program; close that program"
      case EPERM: "connections are not permitted; choose another port"
      case EINVAL, ENOENT, ENXIO, ENODEV: "no such port; give a port that `tutti ports` lists"
      default: "cannot be connected (\(reason(code))); choose another port, or close other MIDI programs"
      }
    throw TransportError("port \(link.other): \(cause)")
  }

  /// Removes a connection.
  ///
  /// - Throws: ``TransportError`` if the connection does not exist.
  ///
  /// Real-time: not safe.
  public func unsubscribe(_ link: SequencerLink) throws(TransportError) {
    let code = request(link, snd_seq_unsubscribe_port)
    guard code < 0 else { return }
    throw TransportError(
      "port \(link.other): cannot be disconnected from \"\(link.port.name)\" (\(reason(code))); disconnect it "
        + "with `aconnect -d` (`aconnect -l` lists the connections)")
  }

  /// Returns the connections of the local ports.
  ///
  /// Real-time: not safe.
  public func links() -> Set<SequencerLink> {
    var query: OpaquePointer?
    guard snd_seq_query_subscribe_malloc(&query) == 0 else { return [] }
    defer { snd_seq_query_subscribe_free(query) }
    var links: Set<SequencerLink> = []
    for port in Port.allCases {
      var root = SequencerAddress(client: client, port: port.number).raw
      snd_seq_query_subscribe_set_root(query, &root)
      snd_seq_query_subscribe_set_type(query, port.isOutput ? SND_SEQ_QUERY_SUBS_READ : SND_SEQ_QUERY_SUBS_WRITE)
      var index: Int32 = 0
      snd_seq_query_subscribe_set_index(query, index)
      while snd_seq_query_port_subscribers(control, query) >= 0,
        let other = snd_seq_query_subscribe_get_addr(query)
      {
        links.insert(SequencerLink(port, SequencerAddress(other.pointee)))
        index += 1
        snd_seq_query_subscribe_set_index(query, index)
      }
    }
    return links
  }

  /// Calls the ALSA function `call` with the subscription of `link`. Returns 0 or a negative error code.
  private func request(_ link: SequencerLink, _ call: (OpaquePointer?, OpaquePointer?) -> Int32) -> Int32 {
    var subscription: OpaquePointer?
    guard snd_seq_port_subscribe_malloc(&subscription) == 0 else { return -ENOMEM }
    defer { snd_seq_port_subscribe_free(subscription) }
    let local = SequencerAddress(client: client, port: link.port.number)
    var (sender, receiver) = (local.raw, link.other.raw)
    if !link.port.isOutput { swap(&sender, &receiver) }
    snd_seq_port_subscribe_set_sender(subscription, &sender)
    snd_seq_port_subscribe_set_dest(subscription, &receiver)
    return call(control, subscription)
  }
}
