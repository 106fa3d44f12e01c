import CALSA
import Glibc

extension Sequencer {
  /// Connects one of our ports with another's. What is connected already stays so.
  ///
  /// - Throws: ``TransportError`` when the other port is gone or lets nobody connect it.
  ///
  /// Real-time: not safe.
  public func subscribe(_ link: SequencerLink) throws(TransportError) {
    let code = request(link, snd_seq_subscribe_port)
    guard code < 0, !(code == -EBUSY && links().contains(link)) else { return }
    let cause =
      switch -code {
      case EBUSY: "another program has it for itself; close that"
      case EPERM: "it lets nobody connect it; choose another"
      case EINVAL, ENOENT, ENXIO, ENODEV: "no such port; `tutti ports` lists what there is"
      default: "not to be connected (\(reason(code))); choose another, or close other MIDI programs"
      }
    throw TransportError("port \(link.other): \(cause)")
  }

  /// Undoes a connection.
  ///
  /// - Throws: ``TransportError`` when there is none.
  ///
  /// Real-time: not safe.
  public func unsubscribe(_ link: SequencerLink) throws(TransportError) {
    let code = request(link, snd_seq_unsubscribe_port)
    guard code < 0 else { return }
    throw TransportError(
      "port \(link.other): not disconnected from \"\(link.port.name)\" (\(reason(code))); see `aconnect -l`")
  }

  /// The connections of our ports.
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
      snd_seq_query_subscribe_set_type(query, port.gives ? SND_SEQ_QUERY_SUBS_READ : SND_SEQ_QUERY_SUBS_WRITE)
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

  private func request(_ link: SequencerLink, _ call: (OpaquePointer?, OpaquePointer?) -> Int32) -> Int32 {
    var subscription: OpaquePointer?
    guard snd_seq_port_subscribe_malloc(&subscription) == 0 else { return -ENOMEM }
    defer { snd_seq_port_subscribe_free(subscription) }
    let own = SequencerAddress(client: client, port: link.port.number)
    var (sender, receiver) = (own.raw, link.other.raw)
    if !link.port.gives { swap(&sender, &receiver) }
    snd_seq_port_subscribe_set_sender(subscription, &sender)
    snd_seq_port_subscribe_set_dest(subscription, &receiver)
    return call(control, subscription)
  }
}
